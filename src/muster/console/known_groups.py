"""The groups of a cluster as they are known now, by name and by the topics that they read. Pure; `observer` fills it in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from muster.client.failure import ClientError
from muster.client.groups import GroupDescription, GroupListing
from muster.console.group_status import GroupStatus, Position


class KnownGroups:
    def __init__(self) -> None:
        self.statuses: dict[str, GroupStatus] = {}
        self.has_listed = False
        """Whether the cluster has said once which groups there are."""
        self.version = 0
        """Grows with every change of the list."""
        self.changes = 0
        """Grows with every change of what is known of a group."""
        self.looks = 0
        """Grows with every answer about offsets: time lags grow though nothing changes."""
        self._seen = 0
        """Groups that somebody has looked at since they were listed."""
        self._names: list[str] | None = None
        self._topics: dict[str, frozenset[str]] = {}
        """Group -> topics that it has a commit or an assignment in."""
        self._readers: dict[str, set[str]] = {}
        """The same the other way round."""

    def __contains__(self, group: str) -> bool:
        return group in self.statuses

    def names(self) -> list[str]:
        """All of them in order; not to be changed."""
        if self._names is None:
            self._names = sorted(self.statuses)
        return self._names

    def unseen(self) -> Iterator[str]:
        """Groups that nobody has looked at since they were listed."""
        return (group for group, known in self.statuses.items() if known.looked_ms is None)

    def count_seen(self) -> int:
        return self._seen

    def list_anew(self, listings: Iterable[GroupListing], *, is_whole: bool = True) -> None:
        """The list as the cluster has it. If it is not whole, a group that is not in it may be there all the same."""
        listed = {each.group_id: each for each in listings}
        self.has_listed = True
        for group, listing in listed.items():
            known = self.statuses.get(group)
            if known is None:
                self._add(listing)
            elif known.listing != listing:
                known.listing = listing
                known.version += 1
                self.version += 1
        if is_whole:
            for group in [each for each in self.statuses if each not in listed]:
                self.drop(group)

    def describe(self, described: GroupDescription) -> None:
        group = described.group_id
        if not described.exists:
            self.drop(group)
            return
        if group not in self.statuses:
            self._add(GroupListing(group, described.protocol_type, described.state, described.type))
        known = self.statuses[group]
        version = known.version
        known.set_description(described)
        self.changes += known.version != version

    def set_positions(self, group: str, positions: list[Position], now_ms: int) -> None:
        known = self.statuses[group]
        version = self._note_look(known)
        known.set_positions(positions, now_ms)
        self.changes += known.version != version
        self._set_topics(group, frozenset(each.place.topic for each in positions))

    def set_failure(self, group: str, now_ms: int, failure: ClientError) -> None:
        """Its offsets cannot be asked for now. It goes on to count as a reader of its topics."""
        known = self.statuses.get(group)
        if known is not None:
            version = self._note_look(known)
            known.set_failure(failure, now_ms)
            self.changes += known.version != version

    def _note_look(self, known: GroupStatus) -> int:
        """The version of its status before the answer."""
        self.looks += 1
        self._seen += known.looked_ms is None
        return known.version

    def drop(self, group: str) -> None:
        """The cluster does not have it any more."""
        known = self.statuses.pop(group, None)
        if known is not None:
            self._seen -= known.looked_ms is not None
            self._set_topics(group, frozenset())
            self._names = None
            self.version += 1

    def readers_of(self, topic: str) -> list[tuple[str, int | None]]:
        """Groups with a commit or an assignment there, and how far behind they are; as far as groups were looked at."""
        return [(group, self._lag(group, topic)) for group in sorted(self._readers.get(topic, ()))]

    def _lag(self, group: str, topic: str) -> int | None:
        lags = [each.lag for each in self.statuses[group].positions if each.place.topic == topic]
        known = [lag for lag in lags if lag is not None]
        return sum(known) if known else None

    def _add(self, listing: GroupListing) -> None:
        self.statuses[listing.group_id] = GroupStatus(listing)
        self._names = None
        self.version += 1

    def _set_topics(self, group: str, topics: frozenset[str]) -> None:
        before = self._topics.get(group, frozenset())
        if topics == before:
            return
        for topic in before - topics:
            self._readers[topic].discard(group)
            if not self._readers[topic]:
                del self._readers[topic]
        for topic in topics - before:
            self._readers.setdefault(topic, set()).add(group)
        if topics:
            self._topics[group] = topics
        else:
            del self._topics[group]
