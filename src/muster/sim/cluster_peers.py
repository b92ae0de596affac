"""How simulated nodes ask each other: requests over the same network that clients use, instead of `server.node_client`.

One link a node and API, one request at a time on it, opened when something is asked, as the real client has it. Nodes need not
prove who they are: that is tested with real ones.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, Any, NamedTuple

from muster.runtime.other_nodes import Answered
from muster.sim.cluster_loop import NodeLoop
from muster.sim.network import Link
from muster.wire.apis import API_KEYS, request_encoder, response_decoder
from muster.wire.header import decode_response_header, encode_request_header

if TYPE_CHECKING:
    from muster.sim.cluster_world import ClusterWorld

PATIENCE_MS = 2_000


class _Ask(NamedTuple):
    version: int
    request: object
    then: Answered


class SimPeers:
    """The other nodes, as one life of a node reaches them."""

    def __init__(self, world: ClusterWorld, node_id: int, loop: NodeLoop) -> None:
        self.world = world
        self.node_id = node_id
        self.loop = loop
        self._lines: dict[tuple[int, str], _Line] = {}

    def ask(self, node_id: int, api: str, version: int, request: object, then: Answered) -> None:
        line = self._lines.get((node_id, api))
        if line is None:
            line = self._lines[node_id, api] = _Line(self, node_id, api)
        line.ask(_Ask(version, request, then))

    def keep_only(self, node_ids: Collection[int]) -> None:
        for key in [key for key in self._lines if key[0] not in node_ids]:
            self._lines.pop(key).give_up()

    def close(self) -> None:
        self.keep_only(())


class _Line:
    def __init__(self, peers: SimPeers, node_id: int, api: str) -> None:
        self._peers = peers
        self._node_id = node_id
        self._api = api
        self._asks: deque[_Ask] = deque()
        """The first one is at it."""
        self._number = 0
        self._link: Link | None = None

    def ask(self, ask: _Ask) -> None:
        self._asks.append(ask)
        if len(self._asks) == 1:
            self._peers.loop.call_soon(self._send)

    def _send(self) -> None:
        if not self._asks:
            return
        if self._link is None:
            self._link = self._connect()
        if self._link is None:
            self.give_up()
            return
        ask = self._asks[0]
        self._number = number = self._number + 1
        key = API_KEYS[self._api]
        name = f"node-{self._peers.node_id}"
        message = encode_request_header(key, ask.version, number, name) + request_encoder(key, ask.version)(ask.request)
        self._peers.world.note(name, self._api, self._node_id)
        self._link.send(len(message).to_bytes(4, "big") + message)
        self._peers.loop.call_later(PATIENCE_MS / 1000, self._lose_patience, number)

    def _connect(self) -> Link | None:
        world = self._peers.world
        if world.are_apart(self._peers.node_id, self._node_id):
            return None
        return world.cluster_network.connect_to(world.nodes[self._node_id], self._take, self._broken)

    def _take(self, frame: bytes) -> None:
        """Bytes wait in the socket while this node is stopped."""
        self._peers.loop.enter(self._answer, frame)

    def _answer(self, frame: bytes) -> None:
        if not self._asks or int.from_bytes(frame[:4], "big") != self._number:
            return  # it was given up
        ask = self._asks.popleft()
        key = API_KEYS[self._api]
        _, position = decode_response_header(key, ask.version, frame)
        self._tell(ask.then, response_decoder(key, ask.version)(frame, position))
        if self._asks:
            self._send()

    def _lose_patience(self, number: int) -> None:
        if number == self._number and self._asks:
            self.give_up()

    def _broken(self) -> None:
        self._link = None
        self._peers.loop.enter(self.give_up)

    def give_up(self) -> None:
        """Nobody knows what became of the first one; the others were not sent."""
        link, self._link = self._link, None
        if link is not None:
            link.close()
        self._number += 1
        asks, self._asks = self._asks, deque()
        for ask in asks:
            self._tell(ask.then, None)

    def _tell(self, then: Callable[[Any], None], response: Any) -> None:
        self._peers.loop.call_soon(then, response)
