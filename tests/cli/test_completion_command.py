"""`muster completion`: what bash completes, asked of bash itself, and that every shell's script knows every command."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from muster.cli.groups.command import ACTIONS
from muster.cli.main import COMMANDS
from muster.testing import Broker
from tests.cli.command import environment, piped

NOBODY = "127.0.0.1:1"


@pytest.fixture(scope="module")
def scripts() -> dict[str, str]:
    return {shell: piped("completion", shell, bootstrap=NOBODY).done().out for shell in ("bash", "zsh", "fish")}


PATIENT = """
import sys
from muster.cli.completion import command
from muster.cli.main import main

command._PATIENCE_SECONDS = 60  # who waits for a name at a prompt gives up after a second, a test does not
sys.exit(main(sys.argv[1:]))
"""


def completed(script: str, folder: Path, bootstrap: str, *words: str) -> list[str]:
    """What bash would offer for the last word."""
    (folder / "muster.bash").write_text(script)
    (folder / "patient.py").write_text(PATIENT)
    (folder / "muster").write_text(f'#!/bin/sh\nexec "{sys.executable}" "{folder}/patient.py" "$@"\n')
    (folder / "muster").chmod(0o755)
    asked = (
        'source "$0/muster.bash"; COMP_WORDS=(muster "$@"); COMP_CWORD=$#; _muster; printf "%s\\n" "${COMPREPLY[@]}"'
    )
    ran = subprocess.run(
        ["bash", "-c", asked, str(folder), *words],
        capture_output=True,
        text=True,
        check=True,
        env=environment(bootstrap) | {"PATH": f"{folder}:/usr/bin:/bin"},
    )
    assert ran.stderr == ""
    return ran.stdout.split()


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("gr",), ["groups"]),
        (("groups", ""), list(ACTIONS)),
        (("groups", "delete"), ["delete", "delete-offsets"]),
        (
            ("groups", "reset-offsets", "--to-"),
            ["--to-earliest", "--to-latest", "--to-current", "--to-offset", "--to-datetime"],
        ),
        (("produce", "--acks", ""), ["all", "1", "0"]),
        (("groups", "list", "--security-protocol", "SASL_S"), ["SASL_SSL"]),
        (("completion", "b"), ["bash"]),
    ],
)
def test_bash_offers(scripts: dict[str, str], tmp_path: Path, words: tuple[str, ...], expected: list[str]) -> None:
    assert completed(scripts["bash"], tmp_path, NOBODY, *words) == expected


def test_bash_offers_names_of_groups_and_topics(scripts: dict[str, str], tmp_path: Path, broker: Broker) -> None:
    broker.create_topic("orders", 1)
    broker.create_topic("others", 1)
    piped(
        "groups",
        "reset-offsets",
        "billing",
        "--topic",
        "orders",
        "--to-latest",
        "--execute",
        "--create",
        bootstrap=broker.bootstrap_servers,
    ).done()
    here = (scripts["bash"], tmp_path, broker.bootstrap_servers)
    assert completed(*here, "groups", "describe", "b") == ["billing"]
    assert completed(*here, "consume", "o") == ["orders", "others"]
    assert completed(*here, "consume", "orders", "--group", "") == ["billing"]


def test_names_are_silent_without_a_cluster() -> None:
    told = piped("completion", "groups", bootstrap=NOBODY).done()
    assert (told.out, told.err) == ("", "")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_every_command_is_in_every_script(scripts: dict[str, str], shell: str) -> None:
    assert [name for name in COMMANDS if name not in scripts[shell]] == []
    assert "--shift-by" in scripts[shell] or "-l shift-by" in scripts[shell]
    if shell != "fish":
        subprocess.run(["bash", "-n"], input=scripts[shell], text=True, check=True)
