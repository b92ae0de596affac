"""Waiting for a group to get somewhere, without looking again and again: conditions are tried when something happened to a group.

Knows nothing of how groups are read: it is given functions that do. Timeouts are real seconds, whatever the broker's clock says.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from muster.core.classic.states import GroupState
from muster.core.consumer.states import ConsumerGroupState
from muster.testing.argument_checks import check_number, check_whole
from muster.testing.group_views import GroupView, TopicPartition

__tracebackhide__ = True  # in pytest's output, see broker.py

Offsets = Mapping[TopicPartition, int]

PATIENCE_SECONDS = 30.0
"""How long a wait lasts if the test does not say."""


class WaitTimeout(AssertionError):
    """The group did not get there in time. Says what was waited for, what is, and what happened last."""


@dataclass(slots=True, frozen=True)
class Wanted:
    """What a group is waited for to be. What is None is not asked for."""

    state: str | None = None
    members: int | None = None
    generation: int | None = None
    """At least this one; the group epoch of a consumer group."""
    committed: Offsets | None = None
    """At least these offsets, by (topic, partition)."""
    where: Callable[[GroupView], bool] | None = None
    """Any further condition; it is called from the broker's thread."""

    def __post_init__(self) -> None:
        check_whole("members", self.members, 2, or_none=True)
        check_whole("generation", self.generation, 3, or_none=True)
        if not isinstance(self.committed, Mapping | None):
            raise TypeError(f"committed is {self.committed!r}: give a dict of offsets, like {{('orders', 0): 7}}")
        states = list(dict.fromkeys(state.value for state in (*GroupState, *ConsumerGroupState)))
        if self.state is not None and self.state not in states:
            raise ValueError(f"{self.state!r} is no state of a group; the states are {', '.join(states)}")

    def holds(self, view: GroupView, offsets: Offsets) -> bool:
        return (
            (self.state is None or view.state == self.state)
            and (self.members is None or len(view.members) == self.members)
            and (self.generation is None or view.generation >= self.generation)
            and all(offsets.get(at, -1) >= offset for at, offset in (self.committed or {}).items())
            and (self.where is None or self.where(view))
        )

    def __str__(self) -> str:
        wishes = [
            f"state {self.state}" if self.state is not None else "",
            f"{self.members} member{'' if self.members == 1 else 's'}" if self.members is not None else "",
            f"generation {self.generation} or later" if self.generation is not None else "",
            *(f"{topic}-{partition} at {offset}" for (topic, partition), offset in (self.committed or {}).items()),
            "the condition of the test" if self.where is not None else "",
        ]
        return ", ".join(wish for wish in wishes if wish) or "anything"


class GroupWaits:
    """`stir` is called when something happened; conditions are tried soon after, when the step that did it is over."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._waiting: dict[asyncio.Future[None], Callable[[], bool]] = {}
        self._is_planned = False

    def stir(self) -> None:
        if self._waiting and not self._is_planned:
            self._is_planned = True
            self._loop.call_soon(self._try_all)

    async def until(self, condition: Callable[[], bool], timeout_seconds: float) -> bool:
        """True as soon as it holds, False if it does not in time."""
        check_number("timeout", timeout_seconds, "10")
        if condition():
            return True
        done: asyncio.Future[None] = self._loop.create_future()
        self._waiting[done] = condition
        try:
            await asyncio.wait_for(done, timeout_seconds)
        except TimeoutError:
            return False
        finally:
            self._waiting.pop(done, None)
        return True

    def _try_all(self) -> None:
        self._is_planned = False
        for done, condition in tuple(self._waiting.items()):
            if done.done():
                continue
            try:
                if condition():
                    done.set_result(None)
            except Exception as error:  # the test's own condition failed: that is for the test to see
                done.set_exception(error)
