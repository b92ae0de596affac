"""A server, some busy groups and the console, until Ctrl-C: `make console`."""

from __future__ import annotations

import asyncio
import contextlib
import re
import signal
import subprocess
import sys
from collections.abc import Iterator

from demo.busy_groups import PLANS, Plan, keep_busy

_LISTENING = re.compile(r"listening on (\S+)")
_CONSOLE = re.compile(r"console on (\S+)")
_QUICK = ("group.initial.rebalance.delay.ms=300", "group.min.session.timeout.ms=500", "offsets.topic.num.partitions=8")


@contextlib.contextmanager
def running(command: list[str], said: re.Pattern[str]) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A `muster` process, and what its first line says."""
    # A group of its own: Ctrl-C ends this program, which then ends the others in order.
    process = subprocess.Popen(
        [sys.executable, "-m", "muster", *command], stdout=subprocess.PIPE, text=True, process_group=0
    )
    assert process.stdout is not None
    found = said.search(process.stdout.readline())
    if found is None:
        raise SystemExit(f"`muster {' '.join(command)}` did not start")
    try:
        yield process, found[1]
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(timeout=30)


@contextlib.contextmanager
def server_and_console(listen: str = "127.0.0.1:0") -> Iterator[tuple[str, str, subprocess.Popen[str]]]:
    """Addresses of the server and of the console, and the console's process."""
    settings = [word for each in _QUICK for word in ("--set", each)]
    with running(["serve", "--memory", "--listen", "127.0.0.1:0", *settings], _LISTENING) as (_, server):
        flags = ["--bootstrap", server, "--listen", listen, "--allow-changes"]
        with running(["console", *flags], _CONSOLE) as (process, console):
            yield server, console, process


async def keep_busy_until_stopped(server: str, plans: tuple[Plan, ...] = PLANS) -> None:
    work = asyncio.create_task(keep_busy(server, plans))
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, work.cancel)
    with contextlib.suppress(asyncio.CancelledError):
        await work


def main() -> None:
    with server_and_console(sys.argv[1] if len(sys.argv) > 1 else "127.0.0.1:8080") as (server, console, _):
        print(f"server on {server}\nopen {console} (Ctrl-C ends everything)", flush=True)
        asyncio.run(keep_busy_until_stopped(server))


if __name__ == "__main__":
    main()
