"""The clock by which a node judges its own lease: it only moves forward, and also while the machine sleeps.

Nobody's wall clock has a say in leases. The others go by the database's clock; a node that was suspended with its
machine must find, when it wakes, that its time is over, and `time.monotonic` stands still during a suspend on Linux.
"""

from __future__ import annotations

import time
from typing import Final

_CLOCK: Final[int] = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)


def lease_seconds() -> float:
    """Seconds since some moment; steps of the wall clock do not change it."""
    return time.clock_gettime(_CLOCK)
