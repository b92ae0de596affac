"""The ACLs that clients make and delete: durable first, then in force, then answered.

Kept as one document of the log store. A store that several nodes share refuses a write over a document that has changed
meanwhile: it is read again and the change is tried again. `reload` is for whoever learns that another node has changed it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final

from muster.log.contract import DocumentChanged, StorageError
from muster.log.documents import Documents, read_and_decode
from muster.security.acl_document import DOCUMENT, decode_acls, encode_acl, encode_lines
from muster.security.acls import Acl, AclFilter
from muster.security.authorizer import RuleAuthorizer

MAX_ACLS: Final = 100_000
MAX_CHANGES_A_REQUEST: Final = 10_000
"""Kafka's limit for one operation."""
_ATTEMPTS: Final = 5

_Change = tuple[Sequence[Acl], Sequence[Acl]]
"""What is added, what is removed."""


class TooManyAcls(Exception):
    """Says which limit, and what to do."""


class AclStore:
    def __init__(self, documents: Documents, authorizer: RuleAuthorizer) -> None:
        """Reads what is there and puts it in force. StorageError if it cannot be read."""
        self._documents = documents
        self._authorizer = authorizer
        self._acls: dict[Acl, str] = {}
        """In the order of making, each with its line of the document."""
        self.reload()

    def __len__(self) -> int:
        return len(self._acls)

    def matching(self, wanted: AclFilter) -> list[Acl]:
        only = wanted.only()
        if only is not None:
            return [only] if only in self._acls else []
        return [acl for acl in self._acls if wanted.matches(acl)]

    def create(self, acls: Sequence[Acl]) -> list[Acl]:
        """Returns those that were not there before. StorageError or TooManyAcls: nothing has changed."""
        if len(acls) > MAX_CHANGES_A_REQUEST:
            raise TooManyAcls(f"A request can make at most {MAX_CHANGES_A_REQUEST} ACLs, this one has {len(acls)}")
        made: list[Acl] = []

        def plan() -> _Change:
            made[:] = [acl for acl in dict.fromkeys(acls) if acl not in self._acls]
            count = len(self._acls) + len(made)
            if count > MAX_ACLS:
                raise TooManyAcls(f"There would be {count} ACLs, at most {MAX_ACLS} are kept: use prefixes")
            return made, ()

        self._change(plan)
        return made

    def delete(self, filters: Sequence[AclFilter]) -> list[list[Acl]]:
        """What each filter matched, all of it deleted. StorageError or TooManyAcls: nothing has changed."""
        matched: list[list[Acl]] = []

        def plan() -> _Change:
            found = {wanted: self.matching(wanted) for wanted in dict.fromkeys(filters)}
            matched[:] = [found[wanted] for wanted in filters]
            count = sum(map(len, matched))
            if count > MAX_CHANGES_A_REQUEST:  # told as often as filters match them
                raise TooManyAcls(
                    f"A request can delete at most {MAX_CHANGES_A_REQUEST} ACLs, the filters of this one match {count}"
                )
            return (), list(dict.fromkeys(acl for acls in matched for acl in acls))

        self._change(plan)
        return matched

    def reload(self) -> None:
        """Take over what the document says now."""
        before = self._acls
        after = {acl: encode_acl(acl) for acl in read_and_decode(self._documents, DOCUMENT, decode_acls)}
        self._acls = after
        self._put_in_force([acl for acl in after if acl not in before], [acl for acl in before if acl not in after])

    def _change(self, plan: Callable[[], _Change]) -> None:
        for _ in range(_ATTEMPTS):
            added, removed = plan()
            if not added and not removed:
                return
            after = self._acls.copy()
            after.update((acl, encode_acl(acl)) for acl in added)
            for acl in removed:
                del after[acl]
            try:
                self._documents.write_document(DOCUMENT, encode_lines(after.values()))
            except DocumentChanged:
                self.reload()
                continue
            self._acls = after
            self._put_in_force(added, removed)
            return
        raise StorageError(f"{DOCUMENT} was changed by other nodes {_ATTEMPTS} times in a row: try again")

    def _put_in_force(self, added: Iterable[Acl], removed: Iterable[Acl]) -> None:
        self._authorizer.change([acl.rule for acl in added], [acl.rule for acl in removed])

    def __repr__(self) -> str:
        return f"<AclStore {len(self._acls)} ACLs>"
