"""The quotas that clients set and remove: durable first, then in force, then answered.

Kept as one document of the log store; a store that several nodes share refuses a write over a document that has changed
meanwhile, and then it is read and tried again. Whoever enforces quotas is told by `on_change`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple

from muster.log.contract import DocumentChanged, StorageError
from muster.log.documents import Documents, read_and_decode
from muster.security.quota_document import DOCUMENT, QuotaTable, decode_quotas, encode_quotas
from muster.security.quota_entities import Entity

MAX_ENTITIES: Final = 100_000
_ATTEMPTS: Final = 5


class TooManyQuotas(Exception):
    """Says which limit, and what to do."""


class QuotaFilter(NamedTuple):
    """`exact`: these parts with these names, None for the default. `any_name`: these parts, whatever the name.
    `strict`: and no other parts."""

    exact: Mapping[str, str | None]
    any_name: frozenset[str]
    strict: bool

    def matches(self, entity: Entity) -> bool:
        if self.strict and len(entity.names) != len(self.exact) + len(self.any_name):
            return False
        return all(entity.name_of(each) == (name,) for each, name in self.exact.items()) and all(
            entity.name_of(each) is not None for each in self.any_name
        )


Change = tuple[Entity, Mapping[str, float | None]]
"""For whom, and the new value of each key; None removes it."""


class QuotaStore:
    def __init__(self, documents: Documents, on_change: Callable[[], None]) -> None:
        """Reads what is there. StorageError if it cannot be read."""
        self._documents = documents
        self._on_change = on_change
        self.quotas: QuotaTable = read_and_decode(documents, DOCUMENT, decode_quotas)

    def __len__(self) -> int:
        return len(self.quotas)

    def matching(self, wanted: QuotaFilter) -> list[tuple[Entity, Mapping[str, float]]]:
        return [(entity, values) for entity, values in self.quotas.items() if wanted.matches(entity)]

    def alter(self, changes: Sequence[Change]) -> None:
        """All of them or none. StorageError or TooManyQuotas: nothing has changed."""
        for _ in range(_ATTEMPTS):
            after = self._with(changes)
            if after == self.quotas:
                return
            if len(after) > MAX_ENTITIES:
                raise TooManyQuotas(
                    f"There would be quotas for {len(after)} entities, at most {MAX_ENTITIES}: use defaults"
                )
            try:
                self._documents.write_document(DOCUMENT, encode_quotas(after))
            except DocumentChanged:
                self.reload()
                continue
            self.quotas = after
            self._on_change()
            return
        raise StorageError(f"{DOCUMENT} was changed by other nodes {_ATTEMPTS} times in a row: try again")

    def reload(self) -> None:
        """Take over what the document says now."""
        self.quotas = read_and_decode(self._documents, DOCUMENT, decode_quotas)
        self._on_change()

    def _with(self, changes: Sequence[Change]) -> dict[Entity, dict[str, float]]:
        after = {entity: dict(values) for entity, values in self.quotas.items()}
        for entity, values in changes:
            own = after.setdefault(entity, {})
            for key, value in values.items():
                if value is None:
                    own.pop(key, None)
                else:
                    own[key] = value
            if not own:
                del after[entity]
        return after

    def __repr__(self) -> str:
        return f"<QuotaStore for {len(self.quotas)} entities>"
