"""What members are called: by the name that their people know, and no longer than it takes to tell them apart.

A static member by its instance id, others by their client id; with the host where several share that, and with the end of the
member id where two members on one host do at the same time.
"""

from __future__ import annotations

from muster.explain.facts import History, Who
from muster.explain.words import plain


class Names:
    def __init__(self, history: History) -> None:
        self._shared = history.shared_identities
        places: dict[str, set[str]] = {}
        for who in history.seen:
            places.setdefault(_own(who), set()).add(who.identity)
        self._need_host = {own for own, identities in places.items() if len(identities) > 1}
        self._all = {plain(own) for own in places}

    def short(self, who: Who) -> str:
        name = self.process(who)
        if who.identity in self._shared:
            name += f" [..{plain(who.member_id[-6:])}]"
        return name

    def process(self, who: Who) -> str:
        """All member ids that it had, as one."""
        own = _own(who)
        if not who.is_static and own in self._need_host and _host(who):
            return f"{plain(own)} on {_host(who)}"
        return plain(own)

    def process_in_full(self, who: Who) -> str:
        return self._with_place(who, self.process(who))

    def begins_with_one(self, sentence: str) -> bool:
        return any(sentence.startswith(name) for name in self._all)

    def full(self, who: Who) -> str:
        """At the first mention: also where it is, and whether it is static."""
        return self._with_place(who, self.short(who))

    def _with_place(self, who: Who, name: str) -> str:
        host = _host(who)
        if who.is_static:
            client = f"client {plain(who.client_id)}" if who.client_id and who.client_id != who.instance_id else ""
            where = f"on {host}" if host else ""
            inside = " ".join(part for part in (client, where) if part)
            return f"static member {name} ({inside})" if inside else f"static member {name}"
        return name if not host or f" on {host}" in name else f"{name} on {host}"


def _own(who: Who) -> str:
    return who.instance_id or who.client_id or who.member_id


def _host(who: Who) -> str:
    """Kafka shows an address that was never looked up with a slash before it."""
    return plain((who.host or "").removeprefix("/"))
