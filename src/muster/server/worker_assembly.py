"""What a worker's node has that a single one has not: its part of the shared data directory, and its seat.

Imported only in the processes of `muster serve --workers`.
"""

from __future__ import annotations

from asyncio import AbstractEventLoop
from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

from muster.cluster.worker_channel import Channel
from muster.cluster.worker_membership import WorkerMembership
from muster.cluster.worker_place import WorkerPlace
from muster.log.contract import LogStore
from muster.log.disk import real_disk
from muster.log.shared_files import SharedFileStore
from muster.runtime.cluster_seat import ClusterLeaders
from muster.runtime.node import Node
from muster.runtime.worker_seat import WorkerSeat
from muster.server.seat_documents import follow_documents
from muster.server.settings import Settings


@dataclass(slots=True, frozen=True)
class WorkerStart:
    """What a worker is given for one life."""

    place: WorkerPlace
    channel: Channel
    was_clean: bool
    """Whoever had its logs before closed them."""


def worker_store(settings: Settings, worker: WorkerStart) -> LogStore:
    return SharedFileStore(
        worker.place.directory,
        worker.place.is_mine,
        number=worker.place.number,
        was_clean=worker.was_clean,
        durability=settings.durability,
        disk=real_disk(group_readable=settings.is_data_group_readable),
    )


def worker_seat(node: Node, worker: WorkerStart, loop: AbstractEventLoop) -> WorkerSeat:
    store = cast("SharedFileStore", node.broker.store)
    seat = WorkerSeat(node, cast("ClusterLeaders", node.broker.catalog.leaders), loop, store.document_versions)
    follow_documents(seat, node)

    def documents(trust_times: bool) -> Mapping[str, int]:
        return store.versions_on_disk(seat.on_document, trust_times=trust_times)

    membership = WorkerMembership(worker.place, worker.channel, loop, documents, seat.deliver)
    store.on_document_written = membership.tell
    seat.membership = membership
    return seat
