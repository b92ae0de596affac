"""Reads a password from where the operator wants it: a file, a variable, a prompt, or standard input."""

from __future__ import annotations

import os
import sys

from muster.cli.support.usage_error import UsageError


def read_password(name: str, file: str | None, variable: str | None) -> str:
    """Not empty. UsageError says why there is none."""
    if file is not None and variable is not None:
        raise UsageError("--password-file and --password-env: choose one of them")
    if file is not None:
        password, origin = _from_file(file), f"the file {file}"
    elif variable is not None:
        if variable not in os.environ:
            raise UsageError(f"--password-env {variable}: there is no such variable")
        password, origin = os.environ[variable], f"the variable {variable}"
    elif sys.stdin.isatty():
        password, origin = _from_prompt(name), "what you typed"
    else:
        password, origin = sys.stdin.readline().rstrip("\r\n"), "standard input"
    if not password:
        raise UsageError(f"{origin} is empty: a user needs a password")
    if "\0" in password:
        raise UsageError(f"{origin} has a zero byte in it, which no client could send")
    return password


def _from_file(path: str) -> str:
    try:
        with open(path, encoding="utf-8") as file:
            return file.readline().rstrip("\r\n")
    except OSError as error:
        raise UsageError(f"--password-file {path}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise UsageError(f"--password-file {path}: is not UTF-8 text") from None


def _from_prompt(name: str) -> str:
    from getpass import getpass

    password = getpass(f"Password for {name}: ")
    if getpass("The same again: ") != password:
        raise UsageError("the two are different; nothing has changed")
    return password
