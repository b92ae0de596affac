"""`muster console` as its own process, and plain HTTP requests to it."""

from __future__ import annotations

import http.client
import re
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from types import TracebackType
from urllib.parse import urlencode

STOP_SECONDS = 60
_COOKIE = re.compile(r"([^=;]+=[^;]+)")
_TOKEN = re.compile(r'name="token" value="([^"]+)"')


@dataclass(frozen=True)
class Answer:
    status: int
    headers: Mapping[str, str]
    text: str


class ConsoleProcess:
    """Used with `with`. `address` is what a browser wants."""

    def __init__(self, bootstrap: str, *flags: str, host: str = "127.0.0.1", open_files: int | None = None) -> None:
        limited = [] if open_files is None else ["sh", "-c", f'ulimit -n {open_files} && exec "$@"', "sh"]
        self._command = [*limited, sys.executable, "-m", "muster", "console", "--bootstrap", bootstrap]
        self._command += ["--listen", f"{host}:0", *flags]
        self._cookies: dict[str, str] = {}
        self.address = ""
        self.log = ""

    def __enter__(self) -> ConsoleProcess:
        self._process = subprocess.Popen(self._command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line.startswith("console on "):
            _, self.log = self._process.communicate(timeout=STOP_SECONDS)
            raise AssertionError(f"the console said {line!r}; its log:\n{self.log}")
        self.address = line.removeprefix("console on ").strip()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.stop()

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def port(self) -> int:
        return int(self.address.rpartition(":")[2])

    def stop(self) -> int:
        """As Ctrl-C does; its exit code."""
        if self._process.poll() is None:
            self._process.send_signal(2)
        _, log = self._process.communicate(timeout=STOP_SECONDS)
        self.log += log
        return self._process.returncode

    # -- without a browser

    def ask(self, path: str, form: Mapping[str, str] | None = None, headers: Mapping[str, str] | None = None) -> Answer:
        """One request, with the cookies that were given before. A form makes it a POST from a page of the console."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=STOP_SECONDS)
        sent = {"Host": f"127.0.0.1:{self.port}"}
        if self._cookies:
            sent["Cookie"] = "; ".join(self._cookies.values())
        body = None
        if form is not None:
            body = urlencode(form)
            sent |= {"Origin": f"http://127.0.0.1:{self.port}", "Content-Type": "application/x-www-form-urlencoded"}
        sent |= headers or {}
        connection.request("GET" if form is None else "POST", path, body, sent)
        response = connection.getresponse()
        text = response.read().decode()
        for name, value in response.getheaders():
            if name.lower() == "set-cookie":
                found = _COOKIE.match(value)
                assert found is not None
                self._cookies[found[1].partition("=")[0]] = found[1]
        connection.close()
        return Answer(response.status, {name.lower(): value for name, value in response.getheaders()}, text)

    def token(self, path: str) -> str:
        """The token that the forms of a page carry."""
        found = _TOKEN.search(self.ask(path).text)
        assert found is not None, f"{path} has no form with a token"
        return found[1]

    def forget_cookies(self) -> None:
        self._cookies.clear()
