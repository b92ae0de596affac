"""Rounds of `chaos` in which something happens to a node: killed, frozen, cut off, stopped, added, its clock set, its id taken."""

from __future__ import annotations

from typing import Any

import psycopg

from tests.cluster.node_process import NodeProcess
from tests.cluster.round_tools import RoundTools
from tests.interop.waiting import eventually

MOST_NODES = 4
CLOCK_STEPS = (-1_800, -5, 5, 6 * 3_600)
"""Seconds. Less than an hour back: further, and Kafka's rule (message.timestamp.after.max.ms) refuses records as of the future.
Less than a day forward: further, and producers' sequence numbers expire, which is what the clock is asked for."""


class NodeRounds(RoundTools):
    """Each leaves at least two nodes, and no damage behind but what it says."""

    def names_of_nodes(self) -> list[str]:
        names = ["freeze", "cut", "second_process", "second_process_of_a_frozen_node"]
        if self._clocks:
            names += ["step_clock"]
        if len(self._stage.running) > 2:
            names += ["kill", "stop"]
        if len(self._stage.running) < MOST_NODES:
            names += ["add", "add"]
        return names

    def kill(self) -> str:
        victim = self._victim()
        self._stage.nodes[victim].kill()
        self._load.progress()
        return f"node {victim} killed"

    def stop(self) -> str:
        victim = self._victim()
        self._stage.nodes[victim].stop()
        self._load.progress()
        return f"node {victim} stopped in order"

    def add(self) -> str:
        absent = [node_id for node_id in range(1, MOST_NODES + 1) if node_id not in self._stage.running]
        node_id = self._random.choice(absent)
        self._stage.add(node_id)
        self._stage.wait_for_owners(*self._stage.running)
        self._load.progress()
        return f"node {node_id} added"

    def freeze(self) -> str:
        victim = self._victim()
        self._stage.nodes[victim].freeze()
        self._wait_until_missed(victim)
        # Not waiting for progress here: clients that have asked it something believe in a silent connection for up to 40 s.
        self._stage.nodes[victim].thaw()
        self._stage.wait_for_owners(*self._stage.running)
        self._load.progress()
        return f"node {victim} frozen past its lease, then thawed"

    def cut(self) -> str:
        victim = self._victim()
        self._stage.cables[victim].cut()
        self._wait_until_missed(victim)
        self._load.progress()
        self._stage.cables[victim].mend()
        self._stage.wait_for_owners(*self._stage.running)
        self._load.progress()
        return f"node {victim} cut off from the database past its lease, then mended"

    def step_clock(self) -> str:
        victim = self._victim()
        seconds = self._random.choice(CLOCK_STEPS)
        self._clocks[victim].set_wrong_by(seconds)
        self._load.progress()
        self._clocks[victim].set_wrong_by(0)
        self._load.progress()
        return f"clock of node {victim} stepped by {seconds} s, then back"

    def second_process(self) -> str:
        """The id is taken by a node that lives: the newcomer has to go, and changes nothing."""
        victim = self._victim()
        before = self._process_of(victim)
        twin = self._twin_of(victim)
        twin.start_soon()
        said = twin.wait_until_refused()
        assert f"node {victim} is already running" in said, said
        assert self._process_of(victim) == before, f"node {victim} is another process now"
        self._load.progress()
        return f"second process of node {victim} refused"

    def second_process_of_a_frozen_node(self) -> str:
        """The id is free, as far as anybody can see: the newcomer has it, and the old process ends when it finds out."""
        victim = self._victim()
        node = self._stage.nodes[victim]
        node.freeze()
        twin = self._twin_of(victim)
        try:
            twin.start()
            node.thaw()
            said = node.wait_until_refused()
            assert f"node {victim} was started a second time" in said, said
            self._load.progress()
            twin.stop()
        finally:
            twin.kill()
        self._stage.add(victim)
        self._stage.wait_for_owners(*self._stage.running)
        self._load.progress()
        return f"second process of node {victim} while it was frozen, which then ended"

    def _victim(self) -> int:
        """Most often the coordinator of a group."""
        if self._random.random() < 0.7:
            return self._stage.coordinator_of(self._random.choice(sorted(self._load.fleets)))
        return self._random.choice(self._stage.running)

    def _twin_of(self, node_id: int) -> NodeProcess:
        self._twins += 1
        url, settings = self._stage.nodes[node_id].url, self._stage.settings
        twin = NodeProcess(self._stage.home, url, node_id, settings, name=f"twin{self._twins}")
        twin.environment = self._stage.nodes[node_id].environment
        return twin

    def _process_of(self, node_id: int) -> Any:
        """Who has registered as this node; the same process is always the same incarnation."""
        with psycopg.connect(self._stage.database.url) as connection:
            return connection.execute("SELECT incarnation FROM muster.nodes WHERE node_id = %s", (node_id,)).fetchone()

    def _wait_until_missed(self, victim: int) -> None:
        eventually(f"node {victim} to be missed", self._stage.status, lambda status: victim not in status)
