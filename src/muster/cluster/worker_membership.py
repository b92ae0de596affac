"""A worker's membership: what it hears from the supervisor and sees in the shared directory, as views for its seat.

There are no leases: a partition belongs to the same worker for as long as the supervisor lives, and the processes end with
it. What another worker changed is told at once by the supervisor, and looked for every second in any case.
"""

from __future__ import annotations

from asyncio import AbstractEventLoop, TimerHandle
from collections.abc import Callable, Mapping, Sequence
from math import inf
from typing import Any, Final

from muster.cluster.view import ClusterView
from muster.cluster.worker_channel import Channel
from muster.cluster.worker_place import WorkerPlace
from muster.log.contract import StorageError

LOOK_SECONDS: Final = 1.0


class WorkerMembership:
    """Used in the loop's thread."""

    def __init__(
        self,
        place: WorkerPlace,
        channel: Channel,
        loop: AbstractEventLoop,
        documents: Callable[[bool], Mapping[str, int]],
        deliver: Callable[[ClusterView | None, float], None],
    ) -> None:
        """`documents`: their versions on disk; the argument says whether a look at times and sizes is enough."""
        self._place = place
        self._channel = channel
        self._loop = loop
        self._documents = documents
        self._deliver = deliver
        self._live: Sequence[int] = range(len(place.nodes))
        self._seen: Mapping[str, int] | None = None
        self._timer: TimerHandle | None = None
        self._is_over = False

    def start(self) -> None:
        self._look(trust_times=False)
        self._look_later()

    def hear(self, message: dict[str, Any]) -> None:
        """From the supervisor: a document was changed, or other workers live."""
        if self._is_over or self._timer is None:
            return
        if "live" in message:
            self._live = message["live"]
        self._look(trust_times=False)

    def tell(self, document: str) -> None:
        """This worker has changed a document."""
        self._channel.send({"changed": document})

    def look_again(self) -> None:
        self._seen = None

    def reclaim(self) -> None:
        raise AssertionError("a worker gives nothing up before it ends")

    def drain(self) -> None:
        """What is here stays here: the next process with this worker's number takes it up."""
        self._is_over = True

    def leave(self) -> None:
        self._is_over = True

    def _look_later(self) -> None:
        self._timer = self._loop.call_later(LOOK_SECONDS, self._look_on)

    def _look_on(self) -> None:
        if not self._is_over:
            self._look(trust_times=True)
            self._look_later()

    def _look(self, *, trust_times: bool) -> None:
        try:
            documents = self._documents(trust_times)
        except StorageError:
            self.look_again()  # it will be said by whoever needs the document
            return
        if trust_times and documents == self._seen:
            return
        self._seen = documents
        self._deliver(ClusterView(self._place.entries(self._live), {}, documents), inf)
