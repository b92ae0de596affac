"""Everything staged in one tick on its way to the disk: all writes first, then as few syncs as will do.

With `durability = fsync` the logs that only grew go to the sync journal together, one sync for all; a single one, and those that
roll, begin or have much, sync their own files, side by side. If the journal fails, all do. `TickCommits` knows which logs have
something staged; a store keeps one.
"""

from __future__ import annotations

import logging
from time import monotonic
from typing import TYPE_CHECKING, Final

from muster.log.checkpoints import RECOVERY_POINTS
from muster.log.contract import PartitionLog, StorageError
from muster.log.file_access import FileAccess
from muster.log.file_commit import LogShare
from muster.log.file_log import FileLog
from muster.log.side_by_side import SideBySide
from muster.log.staging import Settled, StagedLog
from muster.log.sync_journal import SyncJournal
from muster.log_limit import LogLimit

if TYPE_CHECKING:
    from muster.log.files import FileStore

WORTH_THE_JOURNAL: Final = 2
"""One log alone is synced by itself: as many syncs, and nothing is written twice."""

_failures = LogLimit(logging.getLogger(__name__), "recovery points that could not be kept", monotonic)


class FileCommit:
    def __init__(
        self,
        commits: TickCommits,
        store: FileStore,
        access: FileAccess,
        shares: list[LogShare],
        journal: SyncJournal,
        side_by_side: SideBySide,
        recovery_points: dict[tuple[str, int], int] | None,
        *,
        points_first: bool,
    ) -> None:
        """`points_first`: the recovery points on disk are about logs that are gone, and must not outlive the first write."""
        self._commits = commits
        self._store = store
        self._access = access
        self._shares = shares
        self._journal = journal
        self._side_by_side = side_by_side
        self._recovery_points = recovery_points
        self._points_first = points_first

    def run(self) -> None:
        if self._points_first and self._recovery_points is not None:
            self._keep_recovery_points(self._recovery_points)
        for share in self._shares:
            share.write()
        if self._access.durability == "fsync":
            self._sync()
            for share in self._shares:
                if share.failure is not None or share.after_failure:
                    self._journal.doubt(share.writes[0].segment.log_path)
        if self._recovery_points is not None and any(share.rolled for share in self._shares):
            self._keep_rolled(self._recovery_points)

    def finish(self) -> Settled:
        return self._commits.settle(self._shares)

    def _sync(self) -> None:
        together: list[LogShare] = []
        alone: list[LogShare] = []
        for share in self._shares:
            if share.failure is None:
                (alone if share.syncs_itself else together).append(share)
        if len(together) >= WORTH_THE_JOURNAL and self._journal.keep([share.journal_entry() for share in together]):
            for share in together:
                share.in_journal = True
        else:
            alone += together
        if alone:
            self._side_by_side.each(LogShare.sync, alone)
            self._sync_new_directories()

    def _sync_new_directories(self) -> None:
        created = [share for share in self._shares if share.sync_creation and share.failure is None]
        if not created:
            return
        directory = self._store.directory
        try:
            self._access.disk.sync_directory(directory)
        except OSError as error:
            for share in created:
                share.fail(StorageError(f"{directory}: cannot be synced: {error.strerror or error}"))

    def _keep_rolled(self, points: dict[tuple[str, int], int]) -> None:
        """A segment was closed: the next start need not check it. Losing this costs time at recovery, not records."""
        for share in self._shares:
            if share.rolled and share.failure is None:
                points[share.log.topic, share.log.partition] = share.writes[-1].segment.base_offset
        self._keep_recovery_points(points)

    def _keep_recovery_points(self, points: dict[tuple[str, int], int]) -> None:
        try:
            self._store.keep_offsets(RECOVERY_POINTS, points)
        except StorageError as error:
            _failures.warning("recovery will check more than it has to: %s", error)
            if self._points_first:
                self._store.has_outdated_points = True  # the next commit tries again


class TickCommits:
    """The logs of a store that have something staged, and the commits that take it over, one at a time. In the loop's thread."""

    def __init__(self, store: FileStore, access: FileAccess, journal: SyncJournal, side_by_side: SideBySide) -> None:
        self._store = store
        self._access = access
        self._journal = journal
        self._side_by_side = side_by_side
        self._dirty: dict[FileLog, None] = {}
        self._committing = False

    def on_first_staged(self, log: StagedLog) -> None:
        assert isinstance(log, FileLog)
        self._dirty[log] = None

    def forget(self, log: FileLog) -> None:
        """What it had staged is lost."""
        self._dirty.pop(log, None)

    def begin(self) -> FileCommit | None:
        assert not self._committing, "the commit before this one is not finished"
        if not self._dirty:
            return None
        self._committing = True
        dirty, self._dirty = self._dirty, {}
        shares: list[LogShare] = []
        points_first = self._store.has_outdated_points
        self._store.has_outdated_points = False
        points = self._store.current_recovery_points() if points_first else None
        for log in dirty:
            share = log.plan_commit()
            shares.append(share)
            if share.rolled and points is None:
                points = self._store.current_recovery_points()
        return FileCommit(
            self,
            self._store,
            self._access,
            shares,
            self._journal,
            self._side_by_side,
            points,
            points_first=points_first,
        )

    def settle(self, shares: list[LogShare]) -> Settled:
        self._committing = False
        settled: list[tuple[PartitionLog, StorageError | None]] = []
        for share in shares:
            log = share.log
            log.settle(share)
            if share.failure is not None:
                self.forget(log)
            settled.append((log, share.failure))
        return settled
