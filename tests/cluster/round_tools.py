"""What a round of `chaos` works with: the cluster, the clients on it, chance, and what of the machine can be disturbed."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

from tests.cluster.load import Load
from tests.cluster.small_disk import SmallDisk
from tests.cluster.stage import ClusterStage
from tests.cluster.stepped_clock import SteppedClock

DATABASE = 0
"""Whose clock it is, beside those of the nodes."""


class RoundTools:
    def __init__(
        self,
        stage: ClusterStage,
        load: Load,
        random: Random,
        disk: SmallDisk | None,
        clocks: Mapping[int, SteppedClock],
    ) -> None:
        """`disk`: the database's; None where none can be mounted. `clocks`: by node id, empty where they cannot be set."""
        self._stage = stage
        self._load = load
        self._random = random
        self._disk = disk
        self._clocks = clocks
        self._twins = 0
        """Second processes that were started so far."""
