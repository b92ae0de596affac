"""How long a `Broker` takes to start, in a fresh process. docs/testing.md quotes it.

Run: `python -m tests.testing.startup_of_kit`
"""

from __future__ import annotations

from statistics import median
from time import perf_counter

ROUNDS = 200


def main() -> None:
    began = perf_counter()
    from muster.testing import Broker

    print(f"import: {(perf_counter() - began) * 1e3:.0f} ms")
    took_ms = []
    for _ in range(ROUNDS):
        began = perf_counter()
        with Broker(topics={"orders": 3}):
            took_ms.append((perf_counter() - began) * 1e3)
    print(f"first start: {took_ms[0]:.0f} ms; later ones: {median(took_ms[1:]):.1f} ms (median of {ROUNDS - 1})")


if __name__ == "__main__":
    main()
