"""The list of groups: filtered, sorted and paged by what the address says. Knows what is known, asks nobody."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from math import inf
from typing import Any, Final

from muster.client.groups import GroupListing
from muster.console.group_status import GroupStatus
from muster.console.group_timeline import Latest
from muster.console.observer import Observer, Wants
from muster.console.paging import Portion, portion_of
from muster.console.rendering import bracket
from muster.console.time_lag import Bracket

PAGE_ROWS: Final = 50
SORTS: Final = ("group", "state", "members", "lag", "time", "change", "rebalance")
_KINDS: Final = ("classic", "consumer")


@dataclass(frozen=True, slots=True)
class Choice:
    """What the address says. Whatever makes no sense there counts as not said."""

    q: str = ""
    state: str = ""
    type: str = ""
    sort: str = "group"
    desc: bool = False
    page: int = 1

    @classmethod
    def of(cls, query: Mapping[str, str]) -> Choice:
        sort, page = query.get("sort", "group"), query.get("page", "1")
        return cls(
            query.get("q", "").strip()[:200],
            query.get("state", ""),
            query.get("type", "") if query.get("type") in _KINDS else "",
            sort if sort in SORTS else "group",
            query.get("desc") == "1",
            max(1, int(page)) if page.isdecimal() and len(page) < 9 else 1,
        )

    @property
    def is_plain(self) -> bool:
        """All groups by their names."""
        return self.sort == "group" and not (self.q or self.state or self.type)

    def query(self, **changes: object) -> dict[str, object]:
        """For links: what differs from the defaults."""
        values = {**asdict(self), **changes}
        values["desc"] = "1" if values["desc"] else ""
        values["sort"] = "" if values["sort"] == "group" else values["sort"]
        values["page"] = "" if values["page"] == 1 else values["page"]
        return {name: value for name, value in values.items() if value}


@dataclass(frozen=True, slots=True)
class Row:
    group: str
    state: str
    kind: str
    members: int | None
    lag: int | None
    unknown_lag: int
    waited: Bracket | None
    change: int | None
    latest: Latest | None


class OverviewView:
    regions: Final = {"groups": "groups.html"}

    def __init__(self, observer: Observer, choice: Choice) -> None:
        self._observer = observer
        self.choice = choice
        self._found: Portion[str] = portion_of([], 1, PAGE_ROWS)
        """The groups that match, and those of them that are on the page."""
        self._found_for: object = None
        """What the groups that were found depend on, as it was then."""

    @property
    def key(self) -> str:
        return f"overview {self.choice!r}"

    def wants(self) -> Wants:
        return Wants(True, frozenset(self._find().items))

    def fingerprint(self) -> object:
        observer = self._observer
        reader, statuses = observer.reader, observer.groups.statuses
        versions = tuple(
            (group, statuses[group].version, bracket(statuses[group].waited), self._timeline_version(group))
            for group in self._find().items
        )
        told = (self._trouble(), reader.trouble, reader.lost, reader.has_journal, observer.groups.has_listed)
        return observer.groups.version, observer.groups.count_seen(), told, versions

    def context(self) -> dict[str, Any]:
        found = self._find()
        observer, statuses = self._observer, self._observer.groups.statuses.values()
        return {
            "choice": self.choice,
            "rows": [self._row(group) for group in found.items],
            "matching": found.total,
            "all": len(statuses),
            "looked_at": observer.groups.count_seen(),
            "is_asking": not observer.groups.has_listed and not observer.trouble,
            "page": found.page,
            "pages": found.pages,
            "states": Counter(each.state or "not known" for each in statuses),
            "reader": observer.reader,
            "trouble": self._trouble(),
            "columns": SORTS,
        }

    def _trouble(self) -> str:
        """Of all, of the list, or of the first group on the page that could not be asked about."""
        observer = self._observer
        if observer.trouble or observer.list_trouble:
            return observer.trouble or observer.list_trouble
        return next(filter(None, map(observer.state_trouble_of, self._find().items)), "")

    def _find(self) -> Portion[str]:
        """Sorted once for each change of what that depends on: there may be thousands of groups and hundreds of pages."""
        groups, timelines = self._observer.groups, self._observer.reader.timelines
        depends_on = (
            groups.version,
            groups.changes,
            groups.looks if self.choice.sort == "time" else 0,
            timelines.version if self.choice.sort == "rebalance" else 0,
        )
        if depends_on != self._found_for:
            self._found = portion_of(self._matching(), self.choice.page, PAGE_ROWS)
            self._found_for = depends_on
        return self._found

    def _matching(self) -> list[str]:
        choice, wanted = self.choice, self.choice.q.casefold()
        names, statuses = self._observer.groups.names(), self._observer.groups.statuses
        if choice.is_plain:
            return names[::-1] if choice.desc else names
        found = [
            (name, known)
            for name in names
            if (not wanted or wanted in name.casefold())
            and (known := statuses[name])
            and (not choice.state or known.state == choice.state)
            and (not choice.type or kind_of(known.listing) == choice.type)
        ]
        if choice.sort == "group":
            return [name for name, _ in (reversed(found) if choice.desc else found)]
        values = {name: self._sorted_by(name, known) for name, known in found}
        known_names = [name for name, _ in found if values[name] is not None]
        known_names.sort(key=lambda name: values[name], reverse=choice.desc)
        return known_names + [name for name, _ in found if values[name] is None]  # what is unknown comes last

    def _sorted_by(self, group: str, known: GroupStatus) -> Any:
        """A value to sort by; None is unknown."""
        match self.choice.sort:
            case "state":
                return known.state or None
            case "members":
                return known.members
            case "lag":
                return known.lag
            case "time":
                waited = known.waited
                if waited is None or not waited.is_known:
                    return None
                return waited.least_ms, inf if waited.most_ms is None else waited.most_ms
            case "change":
                return known.change
            case _:
                timeline = self._observer.reader.timelines.known(group)
                return None if timeline is None else timeline.last_rebalance_ms

    def _row(self, group: str) -> Row:
        known = self._observer.groups.statuses[group]
        latest = self._observer.reader.timelines.latest(group)
        return Row(
            group,
            known.state,
            kind_of(known.listing),
            known.members,
            known.lag,
            known.unknown_lag,
            known.waited,
            known.change,
            latest,
        )

    def _timeline_version(self, group: str) -> int:
        timeline = self._observer.reader.timelines.known(group)
        return 0 if timeline is None else timeline.version


def kind_of(listing: GroupListing) -> str:
    """`classic` or `consumer`, or the protocol type of groups that share other work; empty if the broker does not say."""
    if listing.protocol_type not in ("", "consumer"):
        return listing.protocol_type
    return listing.type.lower()
