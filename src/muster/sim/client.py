"""What every model client does the same way: one link, one request at a time, plans that are forgotten when plans change.

Speaks the real protocol over a simulated link. What goes wrong is done to it from outside: its link is cut, it stalls, it
vanishes. What to do after a broken link is the business of the classes built on it.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import TYPE_CHECKING, Any

from muster.sim.network import Link
from muster.wire.apis import API_KEYS, request_encoder, response_decoder
from muster.wire.header import decode_response_header, encode_request_header

if TYPE_CHECKING:
    from muster.sim.witness import Witness

RETRY_MS = 200


class SimClient:
    versions: dict[str, int]
    """Of each API that it uses."""

    def __init__(self, world: Witness, name: str, random: Random) -> None:
        self._world = world
        self.name = name
        self._random = random
        self._link: Link | None = None
        self._waiting: tuple[int, str, tuple[int, int], Callable[[Any], None]] | None = None
        """The request in work: its number, its API, when it was sent, what to do with the answer."""
        self._epoch = 0
        """Counts up whenever plans change, so that what was planned before is forgotten."""
        self._is_stalled = False
        self.is_alive = False

    # -- what differs from client to client

    def _start_again(self) -> None:
        """The link broke, or the server cannot be reached."""
        raise NotImplementedError

    def _note_answer(self, api: str, asked: tuple[int, int], response: Any) -> None:
        """A response came, before anything is done with it."""

    def _together(self, partitions: list[int]) -> list[int]:
        """Those of the partitions that can be asked for in one request; the first is among them."""
        return partitions

    def _look_again(self) -> None:
        """Whoever was asked does not lead what was asked for, or not yet."""

    # -- life

    def vanish(self) -> None:
        """As a killed process does: no goodbye."""
        self.is_alive = False
        self._forget_plans()
        self._hang_up()

    def stall(self, duration_ms: int) -> None:
        """As a long pause does: nothing is sent, nothing is read."""
        self._is_stalled = True
        self._world.scheduler.after(duration_ms, self._wake_up)

    def _wake_up(self) -> None:
        self._is_stalled = False
        if self.is_alive:
            self._forget_plans()
            self._hang_up()
            self._start_again()

    # -- sending and planning

    def _ask(self, api: str, request: Any, then: Callable[[Any], None]) -> None:
        if not self.is_alive or self._is_stalled:
            return
        if self._link is None:
            self._link = self._connect()
            if self._link is None:
                self._plan(RETRY_MS, self._start_again)
                return
        number = self._world.next_request_number()
        self._waiting = (number, api, self._world.both_clocks(), then)
        key, version = API_KEYS[api], self.versions[api]
        message = encode_request_header(key, version, number, self.name) + request_encoder(key, version)(request)
        self._world.note(self.name, api, "asked")
        self._link.send(len(message).to_bytes(4, "big") + message)

    def _connect(self) -> Link | None:
        return self._world.network.connect(self._take, self._broken)

    def _take(self, frame: bytes) -> None:
        if self._is_stalled or not self.is_alive:
            return
        number = int.from_bytes(frame[:4], "big")
        self._world.history.answers[number] = self._world.history.answers.get(number, 0) + 1
        if self._waiting is None or self._waiting[0] != number:
            return
        _, api, asked, then = self._waiting
        self._waiting = None
        key, version = API_KEYS[api], self.versions[api]
        _, position = decode_response_header(key, version, frame)
        response = response_decoder(key, version)(frame, position)
        self._world.note(self.name, api, repr(response))
        self._note_answer(api, asked, response)
        then(response)

    def _broken(self) -> None:
        self._link = None
        self._waiting = None
        if self.is_alive and not self._is_stalled:
            self._forget_plans()
            self._plan(RETRY_MS, self._start_again)

    def _hang_up(self) -> None:
        link, self._link = self._link, None
        self._waiting = None
        if link is not None:
            link.close()

    def _forget_plans(self) -> None:
        self._epoch += 1

    def _plan(self, delay_ms: int, step: Callable[[], None]) -> None:
        epoch = self._epoch

        def when_its_time_comes() -> None:
            if epoch == self._epoch and self.is_alive and not self._is_stalled:
                step()

        self._world.scheduler.after(delay_ms, when_its_time_comes)
