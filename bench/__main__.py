"""`python -m bench [NAME ...]`: run every measurement, or those named."""

from __future__ import annotations

import sys
from importlib import import_module

BENCHES = ("startup", "rebalance", "load")


def main(names: list[str]) -> int:
    unknown = [name for name in names if name not in BENCHES]
    if unknown:
        print(f"no such measurement: {', '.join(unknown)}; there are: {', '.join(BENCHES)}", file=sys.stderr)
        return 2
    for name in names or BENCHES:
        import_module(f"bench.{name}").main()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
