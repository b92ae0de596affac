"""Deletes what deleted topics have left in a shared store: a little with each turn, so that other changes go in between.

Begun when a topic is deleted here, at a start and with every retention pass; whoever fails leaves the rest to the next of these.
"""

from __future__ import annotations

import logging
from collections.abc import Callable

from muster.log.contract import LogStore, StorageError
from muster.runtime.node_changes import NodeChanges

_log = logging.getLogger(__name__)


class Leftovers:
    def __init__(self, store: LogStore, changes: NodeChanges) -> None:
        self._store = store
        self._changes = changes
        self._is_under_way = False

    def clear(self) -> None:
        """In the loop. Does nothing if it is under way."""
        if not self._is_under_way:
            self._is_under_way = True
            self._changes.in_turns(self._store.clear_some, self._go_on)

    def _go_on(self, outcome: Callable[[], bool]) -> None:
        self._is_under_way = False
        try:
            is_more_left = outcome()
        except StorageError as error:
            _log.warning("what deleted topics have left cannot be deleted now, it is tried again: %s", error)
            return
        if is_more_left:
            self.clear()
