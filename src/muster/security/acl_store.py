"""The ACLs that clients make and delete: durable first, then in force, then answered.

Kept as one document of the log store. A store that several nodes share refuses a write over a document that has changed
meanwhile: it is read again and the change is tried again. `reload` is for whoever learns that another node has changed it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final, Protocol

from muster.log.contract import DocumentChanged, StorageError
from muster.security.acl_document import DOCUMENT, decode_acls, encode_acls
from muster.security.acls import Acl, AclFilter
from muster.security.authorizer import RuleAuthorizer
from muster.security.rule import Rule

MAX_ACLS: Final = 100_000
MAX_CHANGES_A_REQUEST: Final = 10_000
"""Kafka's limit for one operation."""
_ATTEMPTS: Final = 5

_Acls = dict[Acl, None]
"""A set in the order of making."""


class TooManyAcls(Exception):
    """Says which limit, and what to do."""


class Documents(Protocol):
    """The part of a log store that is needed here."""

    def read_document(self, name: str) -> bytes | None: ...

    def write_document(self, name: str, content: bytes) -> None: ...


class AclStore:
    def __init__(self, documents: Documents, authorizer: RuleAuthorizer) -> None:
        """Reads what is there and puts it in force. StorageError if it cannot be read."""
        self._documents = documents
        self._authorizer = authorizer
        self._acls: _Acls = {}
        self.reload()

    def __len__(self) -> int:
        return len(self._acls)

    def matching(self, wanted: AclFilter) -> list[Acl]:
        return [acl for acl in self._acls if wanted.matches(acl)]

    def create(self, acls: Sequence[Acl]) -> list[Acl]:
        """Returns those that were not there before. StorageError or TooManyAcls: nothing has changed."""
        if len(acls) > MAX_CHANGES_A_REQUEST:
            raise TooManyAcls(f"A request can make at most {MAX_CHANGES_A_REQUEST} ACLs, this one has {len(acls)}")
        made: list[Acl] = []

        def add() -> _Acls:
            made[:] = [acl for acl in dict.fromkeys(acls) if acl not in self._acls]
            after = self._acls | dict.fromkeys(made)
            if len(after) > MAX_ACLS:
                raise TooManyAcls(f"There would be {len(after)} ACLs, at most {MAX_ACLS} are kept: use prefixes")
            return after

        self._change(add)
        return made

    def delete(self, filters: Sequence[AclFilter]) -> list[list[Acl]]:
        """What each filter matched, all of it deleted. StorageError: nothing has changed."""
        matched: list[list[Acl]] = []

        def remove() -> _Acls:
            matched[:] = [self.matching(wanted) for wanted in filters]
            gone = {acl for acls in matched for acl in acls}
            return {acl: None for acl in self._acls if acl not in gone}

        self._change(remove)
        return matched

    def reload(self) -> None:
        """Take over what the document says now."""
        self._put_in_force(dict.fromkeys(decode_acls(self._documents.read_document(DOCUMENT))))

    def _change(self, change: Callable[[], _Acls]) -> None:
        for _ in range(_ATTEMPTS):
            after = change()
            if len(after) == len(self._acls):
                return  # a change only adds or only removes
            try:
                self._documents.write_document(DOCUMENT, encode_acls(after))
            except DocumentChanged:
                self.reload()
                continue
            self._put_in_force(after)
            return
        raise StorageError(f"{DOCUMENT} was changed by other nodes {_ATTEMPTS} times in a row: try again")

    def _put_in_force(self, after: _Acls) -> None:
        before, self._acls = self._acls, after
        self._authorizer.change(
            added=_rules(acl for acl in after if acl not in before),
            removed=_rules(acl for acl in before if acl not in after),
        )

    def __repr__(self) -> str:
        return f"<AclStore {len(self._acls)} ACLs>"


def _rules(acls: Iterable[Acl]) -> list[Rule]:
    return [acl.rule for acl in acls]
