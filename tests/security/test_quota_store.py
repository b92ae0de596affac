"""Quotas survive: durable before they are answered, whole or not at all, and a damaged document sets nobody free."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from muster.log.contract import DocumentChanged, StorageError
from muster.security.quota_document import DOCUMENT, decode_quotas
from muster.security.quota_entities import CLIENT_ID, IP, USER, Entity
from muster.security.quota_store import QuotaFilter, QuotaStore

ALICE, APP, BOTH, ADDRESS = (
    Entity.of({USER: "alice"}),
    Entity.of({CLIENT_ID: None}),
    Entity.of({USER: "alice", CLIENT_ID: "app"}),
    Entity.of({IP: "10.0.0.7"}),
)


class Shelf:
    """Documents in memory, that can fail and can be changed by others."""

    def __init__(self, content: bytes | None = None) -> None:
        self.content = content
        self.before_write: Callable[[], None] = lambda: None

    def read_document(self, name: str) -> bytes | None:
        assert name == DOCUMENT
        return self.content

    def forget_document(self, name: str) -> None: ...

    def write_document(self, name: str, content: bytes) -> None:
        self.before_write()
        self.content = content


def nobody() -> None: ...


def test_what_is_set_is_there_for_the_next_start() -> None:
    shelf, told = Shelf(), []
    store = QuotaStore(shelf, lambda: told.append(dict(store.quotas)))
    store.alter([(ALICE, {"producer_byte_rate": 1e6}), (APP, {"request_percentage": 12.5})])
    store.alter([(ALICE, {"producer_byte_rate": None, "consumer_byte_rate": 5})])
    store.alter([(ADDRESS, {"connection_creation_rate": 3}), (APP, {"request_percentage": None})])
    expected = {ALICE: {"consumer_byte_rate": 5}, ADDRESS: {"connection_creation_rate": 3}}
    assert QuotaStore(shelf, nobody).quotas == expected == store.quotas
    assert len(told) == 3


def test_a_change_of_nothing_is_not_written() -> None:
    shelf = Shelf()
    shelf.before_write = lambda: pytest.fail("written")
    QuotaStore(shelf, nobody).alter([(ALICE, {"producer_byte_rate": None}), (APP, {})])


def test_a_change_that_cannot_be_kept_does_not_count() -> None:
    shelf, told = Shelf(), []
    store = QuotaStore(shelf, lambda: told.append(1))

    def full() -> None:
        raise StorageError("disk full")

    shelf.before_write = full
    with pytest.raises(StorageError, match="disk full"):
        store.alter([(ALICE, {"producer_byte_rate": 1})])
    assert (len(store), told) == (0, [])


def test_the_change_of_another_node_is_taken_over_first() -> None:
    shelf = Shelf()
    ours, theirs = QuotaStore(shelf, nobody), QuotaStore(shelf, nobody)

    def other_was_quicker() -> None:
        shelf.before_write = lambda: None
        theirs.alter([(APP, {"request_percentage": 7})])
        raise DocumentChanged("changed meanwhile")

    shelf.before_write = other_was_quicker
    ours.alter([(ALICE, {"producer_byte_rate": 1})])
    theirs.reload()
    assert ours.quotas == theirs.quotas == {APP: {"request_percentage": 7}, ALICE: {"producer_byte_rate": 1}}


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"{", "JSONDecodeError"),
        (b"[]", "TypeError"),
        (b'{"version": 2, "quotas": []}', "version 2"),
        (b'{"version": 1, "quotas": [{"entity": {"user": 5}, "values": {}}]}', "name of user is 5"),
        (b'{"version": 1, "quotas": [{"entity": {"team": "a"}, "values": {}}]}', "entity type: team"),
        (b'{"version": 1, "quotas": [{"entity": {"user": "a"}, "values": {"request_percentage": "x"}}]}', "number"),
        (b'{"version": 1, "quotas": [{"entity": {"user": "a"}, "values": {"request_percentage": -1}}]}', "quota 1"),
    ],
)
def test_a_document_that_cannot_be_read_is_an_error_that_says_why(content: bytes, why: str) -> None:
    with pytest.raises(StorageError, match=why) as caught:
        decode_quotas(content)
    assert DOCUMENT in str(caught.value)


@pytest.mark.parametrize(
    ("exact", "any_name", "strict", "found"),
    [
        ({}, (), False, [ALICE, APP, BOTH, ADDRESS]),
        ({}, (), True, []),
        ({USER: "alice"}, (), False, [ALICE, BOTH]),
        ({USER: "alice"}, (), True, [ALICE]),
        ({USER: "alice"}, (CLIENT_ID,), True, [BOTH]),
        ({CLIENT_ID: None}, (), False, [APP]),
        ({}, (CLIENT_ID,), False, [APP, BOTH]),
        ({}, (IP,), False, [ADDRESS]),
        ({USER: "bob"}, (), False, []),
        ({USER: None}, (), False, []),
    ],
)
def test_filters(exact: dict[str, str | None], any_name: tuple[str, ...], strict: bool, found: list[Entity]) -> None:
    """KIP-546: exact names, defaults, any name; strict means no other parts."""
    store = QuotaStore(Shelf(), nobody)
    store.alter([(each, {"muster_request_rate": 1}) for each in (ALICE, APP, BOTH, ADDRESS)])
    matched = store.matching(QuotaFilter(exact, frozenset(any_name), strict))
    assert [entity for entity, _ in matched] == found
