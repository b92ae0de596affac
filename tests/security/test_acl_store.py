"""ACLs survive, count at once, and are never half changed."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from muster.log.contract import DocumentChanged, StorageError
from muster.log.files import FileStore
from muster.log.memory import MemoryStore
from muster.security import acl_store
from muster.security.acl_document import DOCUMENT, decode_acls, encode_acl, encode_lines
from muster.security.acl_store import AclStore, TooManyAcls
from muster.security.acls import Acl, AclFilter
from muster.security.authorizer import RuleAuthorizer
from muster.security.resources import Operation, Pattern, Permission, ResourceType

READ, TOPIC = Operation.READ, ResourceType.TOPIC


def allow(name: str, who: str = "User:a") -> Acl:
    return Acl(TOPIC, name, Pattern.LITERAL, who, "*", READ, Permission.ALLOW)


def document(*acls: Acl) -> bytes:
    return encode_lines(map(encode_acl, acls))


class Documents:
    """A store of documents that a test can make fail, or change behind the back of who uses it."""

    def __init__(self) -> None:
        self.content: bytes | None = None
        self.before_write: Callable[[], None] = lambda: None

    def read_document(self, name: str) -> bytes | None:
        assert name == DOCUMENT
        return self.content

    def forget_document(self, name: str) -> None: ...

    def write_document(self, name: str, content: bytes) -> None:
        assert name == DOCUMENT
        self.before_write()
        self.content = content


def may_read(authorizer: RuleAuthorizer, name: str) -> bool:
    return authorizer.allows("User:a", "h", READ, TOPIC, name)


def test_what_is_made_counts_at_once_and_after_a_restart(tmp_path: Path) -> None:
    store = FileStore(str(tmp_path), "fsync")
    authorizer = RuleAuthorizer([])
    acls = AclStore(store, authorizer)
    assert not may_read(authorizer, "t")
    strange = allow('näme "with", \\ everything\n', "User:CN=x,O=y")
    assert acls.create([allow("t"), strange, allow("t")]) == [allow("t"), strange]
    assert acls.create([allow("t")]) == []
    assert may_read(authorizer, "t")
    store.close()
    store = FileStore(str(tmp_path), "fsync")
    again = RuleAuthorizer([])
    assert AclStore(store, again).matching(AclFilter()) == [allow("t"), strange]
    assert may_read(again, "t")
    store.close()


def test_what_is_deleted_counts_no_more_and_every_filter_says_what_it_matched() -> None:
    store, authorizer = MemoryStore(), RuleAuthorizer([])
    acls = AclStore(store, authorizer)
    acls.create([allow("t"), allow("u"), allow("v")])
    assert may_read(authorizer, "t")
    deleted = acls.delete([AclFilter(name="t"), AclFilter(name="x"), AclFilter(pattern=Pattern.MATCH, name="t")])
    assert deleted == [[allow("t")], [], [allow("t")]]
    assert not may_read(authorizer, "t")
    assert may_read(authorizer, "u")
    assert AclStore(store, RuleAuthorizer([])).matching(AclFilter()) == [allow("u"), allow("v")]


def test_a_write_that_fails_changes_nothing() -> None:
    documents, authorizer = Documents(), RuleAuthorizer([])
    acls = AclStore(documents, authorizer)
    acls.create([allow("t")])

    def fail() -> None:
        raise StorageError("the disk is full")

    documents.before_write = fail
    with pytest.raises(StorageError, match="full"):
        acls.create([allow("u")])
    with pytest.raises(StorageError, match="full"):
        acls.delete([AclFilter()])
    assert may_read(authorizer, "t")
    assert not may_read(authorizer, "u")
    assert acls.matching(AclFilter()) == [allow("t")]


def test_a_change_of_another_node_is_taken_in_and_the_own_one_tried_again() -> None:
    documents, authorizer = Documents(), RuleAuthorizer([])
    acls = AclStore(documents, authorizer)
    acls.create([allow("t")])

    def overtake() -> None:
        documents.before_write = lambda: None
        documents.content = document(allow("theirs"))
        raise DocumentChanged

    documents.before_write = overtake
    assert acls.create([allow("u")]) == [allow("u")]
    assert acls.matching(AclFilter()) == [allow("theirs"), allow("u")]
    assert decode_acls(documents.content) == [allow("theirs"), allow("u")]
    assert not may_read(authorizer, "t")
    assert may_read(authorizer, "theirs")


def test_who_is_overtaken_again_and_again_is_told() -> None:
    documents = Documents()
    acls = AclStore(documents, RuleAuthorizer([]))

    def overtake() -> None:
        raise DocumentChanged

    documents.before_write = overtake
    with pytest.raises(StorageError, match="try again"):
        acls.create([allow("u")])


def test_a_reload_takes_over_what_another_node_wrote() -> None:
    documents, authorizer = Documents(), RuleAuthorizer([])
    acls = AclStore(documents, authorizer)
    acls.create([allow("t")])
    documents.content = document(allow("u"))
    acls.reload()
    assert (may_read(authorizer, "t"), may_read(authorizer, "u")) == (False, True)


WHOLE = document(allow("t"), allow("u"))


def test_a_torn_document_is_refused_whatever_is_left_of_it() -> None:
    """Half the rules are worse than none. Only the last line break may be missing."""
    for length in range(len(WHOLE) - 1):
        with pytest.raises(StorageError, match=r"acls\.json cannot be read.*Restore it"):
            decode_acls(WHOLE[:length])


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"version": 2}, "version 2"),
        ({"acls": [{}]}, "in ACL 1 pattern is None"),
        ({"acls": 3}, "TypeError"),
        ({"acls": [3]}, "AttributeError"),
    ],
)
def test_a_document_of_another_kind_is_refused_with_what_is_wrong(change: dict[str, object], words: str) -> None:
    document = json.loads(WHOLE) | change
    with pytest.raises(StorageError, match=words):
        decode_acls(json.dumps(document).encode())


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("operation", "REED", "in ACL 2 operation is 'REED', it must be one of ALL, READ"),
        ("permission", "MAYBE", "DENY, ALLOW"),
        ("pattern", "MATCH", "LITERAL or PREFIXED"),
        ("resource", 2, "resource is 2"),
        ("principal", "alice", "'alice'"),
        ("name", "", "name ''"),
        ("host", None, "host is None"),
    ],
)
def test_an_acl_that_cannot_be_is_named_with_its_number(key: str, value: object, words: str) -> None:
    document = json.loads(WHOLE)
    document["acls"][1][key] = value
    with pytest.raises(StorageError, match=words):
        decode_acls(json.dumps(document).encode())


def test_limits_are_told_and_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(acl_store, "MAX_ACLS", 3)
    monkeypatch.setattr(acl_store, "MAX_CHANGES_A_REQUEST", 4)
    acls = AclStore(Documents(), RuleAuthorizer([]))
    acls.create([allow("a"), allow("b")])
    with pytest.raises(TooManyAcls, match="4 ACLs, at most 3"):
        acls.create([allow("c"), allow("d")])
    with pytest.raises(TooManyAcls, match="at most 4 ACLs"):
        acls.create([allow(str(number)) for number in range(5)])
    assert len(acls) == 2
    assert acls.create([allow("a"), allow("c")]) == [allow("c")]
