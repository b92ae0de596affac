"""What must never happen in a cluster, beside what must never happen on one node."""

from __future__ import annotations

from collections.abc import Iterator

from muster.sim.checkers import CHECKERS, Checker
from muster.sim.history import History


def only_the_owner_appends(history: History) -> Iterator[str]:
    """The fence: what the database takes comes from the owner of that moment, and says so."""
    for each in history.appended:
        if (each.node, each.epoch) != (each.row_owner, each.row_epoch):
            yield (
                f"{each.slot} at {each.base_offset}: node {each.node} appended for epoch {each.epoch}, "
                f"node {each.row_owner} owned it since epoch {each.row_epoch}"
            )


def epochs_only_grow_in_a_log(history: History) -> Iterator[str]:
    """No record of an older epoch after one of a newer, and all records of an epoch are one node's."""
    newest: dict[tuple[str, int], tuple[int, int]] = {}
    for each in history.appended:
        epoch, node = newest.get(each.slot, (-1, each.node))
        if each.epoch < epoch:
            yield f"{each.slot} at {each.base_offset}: epoch {each.epoch} came after {epoch}"
        if each.epoch == epoch and each.node != node:
            yield f"{each.slot} at {each.base_offset}: nodes {node} and {each.node} both wrote in epoch {epoch}"
        newest[each.slot] = max((epoch, node), (each.epoch, each.node))


def one_node_acknowledges_in_an_epoch(history: History) -> Iterator[str]:
    first: dict[tuple[str, int], int] = {}
    for acked in history.acked:
        node = first.setdefault((acked.group, acked.epoch), acked.node)
        if node != acked.node:
            yield f"{acked.group} epoch {acked.epoch}: nodes {node} and {acked.node} both acknowledged commits"


def no_synced_generation_is_lost(history: History) -> Iterator[str]:
    """A generation whose plan was handed out is in the log: whoever asks later gets this one or a later one, at any node."""
    for joined in history.joined:
        handed_out = [
            synced.generation
            for synced in history.synced
            if synced.group == joined.group and synced.at_ms <= joined.asked_ms
        ]
        if handed_out and joined.generation < max(handed_out):
            yield (
                f"{joined.group}: {joined.member} was told generation {joined.generation} after "
                f"{max(handed_out)} had been handed out"
            )


CLUSTER_CHECKERS: tuple[Checker, ...] = (
    only_the_owner_appends,
    epochs_only_grow_in_a_log,
    one_node_acknowledges_in_an_epoch,
    no_synced_generation_is_lost,
)
ALL_CHECKERS: tuple[Checker, ...] = (*CHECKERS, *CLUSTER_CHECKERS)
