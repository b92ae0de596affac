"""A first use of an installed Muster: serve, produce, consume as a group, look at the group. `python tools/smoke.py [FORM]`.

Runs with the Python that Muster is installed for and needs nothing but the standard library. FORM, `compiled` or `pure`, is what
`muster --version` must say. `make dist` and the release workflow call it.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

MUSTER = str(Path(sys.executable).with_name("muster"))


def main(form: str | None) -> None:
    version = muster("--version")
    if form is not None and f"({form}" not in version:
        sys.exit(f"smoke: {version.strip()} is not the {form} form")
    with TemporaryDirectory() as data:
        serve = [MUSTER, "serve", "--listen", "127.0.0.1:0", "--data", data, "--log-level", "error"]
        with subprocess.Popen(serve, stdout=subprocess.PIPE, text=True) as server:
            assert server.stdout is not None
            try:
                use(server.stdout.readline().split()[-1])
            finally:
                server.terminate()


def use(address: str) -> None:
    at = ("--bootstrap", address)
    muster("topics", "create", "orders", "--partitions", "2", *at)
    muster("produce", "orders", *at, given="tea\npots\ncups\n")
    read = muster("consume", "orders", "--group", "billing", "--from-beginning", "--max", "3", *at)
    expect(sorted(read.split()) == ["cups", "pots", "tea"], read)
    offsets = muster("groups", "offsets", "billing", "--json", *at)
    expect(offsets.count('"lag": 0') + offsets.count('"lag":0') == 2, offsets)
    expect("billing" in muster("groups", "explain", "billing", *at), "explain")


def muster(*arguments: str, given: str | None = None) -> str:
    done = subprocess.run([MUSTER, *arguments], input=given, capture_output=True, text=True, timeout=120, check=False)
    if done.returncode:
        sys.exit(f"smoke: muster {' '.join(arguments)} failed:\n{done.stderr}")
    return done.stdout


def expect(is_so: bool, found: str) -> None:
    if not is_so:
        sys.exit(f"smoke: not what was expected:\n{found}")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else None)
