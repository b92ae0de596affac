"""A real browser for tests: Chromium without a window, spoken to over two pipes in its DevTools protocol.

Notes every console message, every exception and every request the page makes. Knows nothing of the pages
and needs nothing but the standard library.
"""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
from pathlib import Path
from types import TracebackType
from typing import Any

_ANSWER_WITHIN_S = 60
_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
_SHOWN_IN = """new Promise((shown) => {
  const look = () => matchMedia("(prefers-color-scheme: SCHEME)").matches ? shown(true) : setTimeout(look, 10);
  look();
})"""

Event = dict[str, Any]


def find_browser() -> str | None:
    """TEST_CHROMIUM, or the first of the usual names on the path."""
    named = os.environ.get("TEST_CHROMIUM")
    return named or next((found for name in _NAMES if (found := shutil.which(name))), None)


class PageLeft(AssertionError):
    """Another page took the place of the one that was asked, before it could answer."""


class Browser:
    """One browser process with one page."""

    def __init__(self, program: str) -> None:
        self._profile = tempfile.mkdtemp(prefix="muster-browser-")
        to_child, self._write = os.pipe()
        self._read, from_child = os.pipe()

        def hand_over() -> None:
            # The protocol asks for these two numbers: the browser reads from 3 and writes to 4.
            os.dup2(to_child, 10)
            os.dup2(from_child, 11)
            os.dup2(10, 3)
            os.dup2(11, 4)

        self._process = subprocess.Popen(
            [
                program,
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--disable-extensions",
                "--disable-background-networking",
                "--no-first-run",
                "--force-device-scale-factor=1",
                f"--user-data-dir={self._profile}",
                "--remote-debugging-pipe",
                "about:blank",
            ],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=(3, 4),
            preexec_fn=hand_over,
        )
        os.close(to_child)
        os.close(from_child)
        self._unread = b""
        self._number = 0
        self._session: str | None = None
        self.events: list[Event] = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")

    def __enter__(self) -> Browser:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.terminate()
        self._process.wait(timeout=_ANSWER_WITHIN_S)
        os.close(self._write)
        os.close(self._read)
        shutil.rmtree(self._profile, ignore_errors=True)

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Ask and wait for the answer; events that come meanwhile are kept."""
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": parameters}
        if self._session is not None:
            message["sessionId"] = self._session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") != self._number:
                self.events.append(answer)
            elif "error" in answer:
                is_left = "navigated or closed" in answer["error"].get("message", "")
                raise (PageLeft if is_left else AssertionError)(f"{method}: {answer['error']}")
            else:
                result: dict[str, Any] = answer["result"]
                return result

    def _next(self) -> Event:
        while b"\0" not in self._unread:
            ready, _, _ = select.select([self._read], [], [], _ANSWER_WITHIN_S)
            chunk = os.read(self._read, 1 << 20) if ready else b""
            if not chunk:
                raise AssertionError("the browser went away or does not answer")
            self._unread += chunk
        message, _, self._unread = self._unread.partition(b"\0")
        event: Event = json.loads(message)
        return event

    def open(self, page: Path, *, width: int = 1280, height: int = 900, dark: bool = False, fragment: str = "") -> None:
        """Show a file and wait until it is loaded and has the colours it is to have."""
        self.visit(page.as_uri() + fragment, width=width, height=height, dark=dark)

    def visit(self, url: str, *, width: int = 1280, height: int = 900, dark: bool = False) -> None:
        """The same with any address."""
        self.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])
        self.value("window.isLeft = true")
        self.call("Page.navigate", url="about:blank")
        while self.value("window.isLeft === true"):
            self._next()
        self.events.clear()
        self.call("Page.navigate", url=url)
        while self.value("document.URL").startswith("about:") or self.value("document.readyState") != "complete":
            self.events.append(self._next())
        # A page may be in a process of its own, which hears of the colours when it hears of them.
        self.value(_SHOWN_IN.replace("SCHEME", scheme["value"]))

    def value(self, expression: str) -> Any:
        """What an expression of the page is worth; an exception in it fails the test."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise AssertionError(f"{expression}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def click(self, query: str) -> None:
        self.value(f"document.querySelector({json.dumps(query)}).click()")

    def type_into(self, query: str, text: str) -> None:
        """Fill a field the way a person does: focus, then text that fires the usual events."""
        found = json.dumps(query)
        self.value(f"(() => {{ const field = document.querySelector({found}); field.focus(); field.select(); }})()")
        self.call("Input.insertText", text=text)

    def press(self, key: str) -> None:
        for kind in ("rawKeyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key)

    def point_at(self, query: str) -> None:
        """Move the pointer onto the middle of an element."""
        found = json.dumps(query)
        box = self.value(
            f"(() => {{ const mark = document.querySelector({found}); mark.scrollIntoView({{block: 'center'}});"
            " const box = mark.getBoundingClientRect(); return [box.left + box.width / 2, box.top + box.height / 2]; })()"
        )
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=box[0], y=box[1])

    def forget(self) -> None:
        """What the page has stored, if it is one that can store."""
        self.value("try { localStorage.clear() } catch { 0 }")

    def complaints(self) -> list[str]:
        """Console messages, exceptions and what the page's policy refused."""
        self.value("0")
        said = []
        for event in self.events:
            match event.get("method"):
                case "Runtime.consoleAPICalled":
                    said.append(f"console: {event['params']['args']}")
                case "Runtime.exceptionThrown":
                    said.append(f"exception: {event['params']['exceptionDetails']}")
                case "Log.entryAdded":
                    said.append(f"log: {event['params']['entry']['text']}")
                case "Page.javascriptDialogOpening":
                    said.append(f"dialog: {event['params']['message']}")
        return said

    def requests(self) -> list[str]:
        """Every address that the page asked for, itself included."""
        self.value("0")
        sent = [
            event["params"]["request"]["url"]
            for event in self.events
            if event.get("method") == "Network.requestWillBeSent"
        ]
        return [str(url) for url in sent]

    def picture(self, file: Path, *, whole: bool = False) -> None:
        answer = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        file.write_bytes(base64.b64decode(answer["data"]))

    def printed(self) -> bytes:
        return base64.b64decode(self.call("Page.printToPDF", preferCSSPageSize=True, printBackground=True)["data"])
