"""Rounds of `chaos` in which something happens to the database: restarted, crashed, frozen, slow, its disk full, its clock set."""

from __future__ import annotations

import psycopg

from tests.cluster.round_tools import DATABASE, RoundTools
from tests.interop.waiting import eventually

SLOW_SECONDS = 0.1
DATABASE_STEPS = (-600, -5, 5, 3_600)
NO_SPACE = "No space left on device"


class DatabaseRounds(RoundTools):
    def names_of_database(self) -> list[str]:
        names = ["restart_database", "crash_database", "freeze_database", "slow_database"]
        if self._disk is not None:
            names += ["fill_disk", "fill_disk_of_the_log"]
        if DATABASE in self._clocks:
            names += ["step_clock_of_database"]
        return names

    def restart_database(self) -> str:
        return self._restart("fast")

    def crash_database(self) -> str:
        return self._restart("immediate")

    def _restart(self, mode: str) -> str:
        self._stage.database.stop(mode)
        self._stage.database.start()
        self._load.progress()
        return f"database stopped ({mode}) and started"

    def freeze_database(self) -> str:
        """Until every node has given up what it leads. Nobody has said anything to them: their own clocks have."""
        before = self._surrenders()
        self._stage.database.freeze()
        try:
            eventually(
                "all nodes to give up",
                self._surrenders,
                lambda now: all(now[node_id] > before[node_id] for node_id in before),
            )
        finally:
            self._stage.database.thaw()
        self._stage.wait_for_owners(*self._stage.running)
        self._load.progress()
        return "database frozen past all leases, then thawed"

    def slow_database(self) -> str:
        self._delay(SLOW_SECONDS)
        try:
            self._load.progress()
        finally:
            self._delay(0)
        self._stage.wait_for_owners(*self._stage.running)
        self._load.progress()
        return f"database slow by {SLOW_SECONDS * 1000:.0f} ms a statement, then quick again"

    def fill_disk(self) -> str:
        """Statements that need another page fail; the rest goes on."""
        return self._fill("disk of the database full")

    def fill_disk_of_the_log(self) -> str:
        """The write-ahead log finds no room for its next file: that ends every session, and often the whole server."""
        return self._fill("disk of the database full at the next file of its write-ahead log", ends_file=True)

    def _fill(self, what: str, *, ends_file: bool = False) -> str:
        assert self._disk is not None
        database = self._stage.database
        before = database.log.count(NO_SPACE)
        self._disk.fill()
        try:
            if ends_file:
                self._take_next_log_files(before)
            eventually("the database to miss the space", lambda: database.log.count(NO_SPACE) > before)
        finally:
            self._disk.empty()
        try:
            eventually("the database to be back", self._is_back)
        except AssertionError as error:
            raise AssertionError(f"{error}\nThe database said last:\n{database.log[-3_000:]}") from None
        self._stage.wait_for_owners(*self._stage.running)
        self._load.progress()
        return f"{what}, then emptied"

    def _take_next_log_files(self, before: int) -> None:
        """Files that are there already are used up first."""

        def end_one() -> bool:
            try:
                with psycopg.connect(self._stage.database.url, autocommit=True) as connection:
                    connection.execute("SELECT pg_switch_wal()")
                    connection.execute("SELECT pg_logical_emit_message(false, 'chaos', 'something to write')")
            except psycopg.Error:
                pass  # it may have gone meanwhile
            return self._stage.database.log.count(NO_SPACE) > before

        eventually("the write-ahead log to need another file", end_one)

    def _is_back(self) -> bool:
        """A server that ended is started, as an operator does who has made room."""
        database = self._stage.database
        try:
            with psycopg.connect(database.url, connect_timeout=2) as connection:
                connection.execute("SELECT 1")
        except psycopg.Error:
            if not database.is_running:
                database.start()
            return False
        return True

    def step_clock_of_database(self) -> str:
        """Not back again: leases that were given before a step forward would be taken for valid for as long."""
        seconds = self._random.choice(DATABASE_STEPS)
        self._clocks[DATABASE].step(seconds)
        self._load.progress()
        self._stage.wait_for_owners(*self._stage.running)
        return f"clock of the database stepped by {seconds} s"

    def _delay(self, seconds: float) -> None:
        for cable in self._stage.cables.values():
            cable.delay_s = seconds

    def _surrenders(self) -> dict[int, int]:
        return {node_id: self._stage.nodes[node_id].log.count("gives up") for node_id in self._stage.running}
