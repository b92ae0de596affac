"""Groups of real members at work on a cluster: what they were told to be committed, and who owns what.

Of both protocols of groups, and one that migrates between them all the time.
"""

from __future__ import annotations

from itertools import cycle
from pathlib import Path
from typing import Any

from confluent_kafka import KafkaException
from confluent_kafka.admin import AdminClient

from tests.cluster.group_checks import Description, not_settled
from tests.interop.client_confluent import QUIET
from tests.interop.fleet import Fleet
from tests.interop.reading_rules import Said
from tests.interop.waiting import eventually

METADATA_MS = 2_000
ADMIN_SECONDS = 10.0


class CommittingFleet(Fleet):
    """A group whose history is long: what was committed is kept as it comes, not looked for in all that was said."""

    def __init__(self, home: Path, *, bootstrap: str, group: str, topic: str) -> None:
        super().__init__(home, bootstrap=bootstrap, group=group, topic=topic)
        self.committed: dict[int, int] = {}
        """The largest offset of each partition whose commit a member was told to have succeeded."""
        self.commits = 0

    def _take_in(self, said: Said) -> None:
        super()._take_in(said)
        if said.event == "committed":
            self.commits += 1
            for name, offset in said.details["offsets"].items():
                self.committed[int(name)] = max(self.committed.get(int(name), 0), offset)

    def _state(self) -> str:
        return f"{self.committed} committed; " + ", ".join(
            f"{name} owns {each.owned} in generation {each.generation}{'' if each.alive else ' and has ended: ' + each.errors}"
            for name, each in self.members.items()
        )


class SteadyFleet(CommittingFleet):
    """Two members of one kind, who stay."""

    def __init__(self, home: Path, *, bootstrap: str, group: str, topic: str, **style: Any) -> None:
        super().__init__(home, bootstrap=bootstrap, group=group, topic=topic)
        self._style = style

    def start(self) -> None:
        for name in ("first", "second"):
            self.add(name, metadata_ms=METADATA_MS, **self._style)

    @property
    def protocol(self) -> str:
        """Of the group: the new one as soon as a member speaks it, and as long as one does."""
        protocols = {member.settings.protocol for member in self.members.values()}
        return "consumer" if "consumer" in protocols else "classic"

    def begin_exchange(self) -> None:
        """Nobody comes."""

    def end_exchange(self) -> None:
        """Nobody goes."""


class MigratingFleet(SteadyFleet):
    """Its members are exchanged one by one, as in a rolling restart, first for such of the consumer protocol, then for classic ones
    again: the group is classic, mixed, of the new protocol, mixed, classic and so on (KIP-848)."""

    def __init__(self, home: Path, *, bootstrap: str, group: str, topic: str, max_poll_ms: int) -> None:
        style = {"library": "confluent-kafka", "max_poll_ms": max_poll_ms}
        super().__init__(home, bootstrap=bootstrap, group=group, topic=topic, **style)
        self._protocols = cycle(("consumer", "consumer", "classic", "classic"))
        self._came = 0

    def begin_exchange(self) -> None:
        """The next one comes; returns at once."""
        self._came += 1
        self.add(f"comer {self._came}", protocol=next(self._protocols), metadata_ms=METADATA_MS, **self._style)

    def end_exchange(self) -> None:
        """The oldest one goes."""
        self.leave(next(iter(self.members)))


def wait_until_settled(bootstrap: str, fleets: dict[str, SteadyFleet], partitions: int) -> None:
    """Each partition has one owner in every group, in the eyes of the members and in those of the coordinators."""
    for name, fleet in fleets.items():
        fleet.watch_until(f"{name} to share the partitions", lambda fleet=fleet: fleet.shares(partitions))  # type: ignore[misc]
    protocols = {name: fleet.protocol for name, fleet in fleets.items()}

    def look() -> list[str]:
        seen = _described(bootstrap, list(fleets))
        return [seen] if isinstance(seen, str) else not_settled(seen, protocols, partitions)

    eventually("settled groups", look, lambda complaints: complaints == [])


def _described(bootstrap: str, groups: list[str]) -> dict[str, Description] | str:
    """By a client that was made for it, and remembers no coordinator of before."""
    admin = AdminClient({"bootstrap.servers": bootstrap, **QUIET})
    try:
        answers = admin.describe_consumer_groups(groups, request_timeout=ADMIN_SECONDS)
        return {name: _description(answer.result(2 * ADMIN_SECONDS)) for name, answer in answers.items()}
    except KafkaException as error:
        return str(error)


def _description(group: Any) -> Description:
    owned = [at.partition for member in group.members for at in member.assignment.topic_partitions]
    return Description(group.type.name.lower(), group.state.name.lower(), owned)
