"""The users' document: what is kept, what an unknown user looks like, what happens to a damaged one."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest

from muster.log.contract import StorageError
from muster.log.files import FileStore
from muster.log.memory import MemoryStore
from muster.security.plain import PlainExchange
from muster.security.sasl import Accepted, AuthenticationFailed
from muster.security.scram import credential_of
from muster.security.users import DOCUMENT, Users, new_credential

MECHANISMS = ("SCRAM-SHA-256", "SCRAM-SHA-512")


def with_alice(store: MemoryStore, password: str = "secret", mechanisms: tuple[str, ...] = MECHANISMS) -> Users:
    users = Users(store)
    users.alter([("alice", each, new_credential(each, password)) for each in mechanisms])
    return users


def test_what_is_kept_is_read_by_the_next_one_and_has_no_password_in_it() -> None:
    store = MemoryStore()
    with_alice(store, "correct horse")
    content = store.read_document(DOCUMENT)
    assert content is not None
    assert b"horse" not in content
    again = Users(store)
    assert again.names() == ["alice"]
    assert again.is_password_of("alice", "correct horse")
    assert not again.is_password_of("alice", "correct house")


def test_a_file_of_users_is_for_its_owner_alone(tmp_path: Path) -> None:
    store = FileStore(str(tmp_path))
    Users(store).alter([("alice", "SCRAM-SHA-256", new_credential("SCRAM-SHA-256", "secret"))])
    store.close()
    assert stat.S_IMODE((tmp_path / DOCUMENT).stat().st_mode) == 0o600


def test_a_user_goes_with_its_last_mechanism() -> None:
    users = with_alice(MemoryStore())
    users.alter([], [("alice", "SCRAM-SHA-256")])
    assert list(users.mechanisms_of("alice") or ()) == ["SCRAM-SHA-512"]
    users.alter([], [("alice", "SCRAM-SHA-512")])
    assert users.names() == []
    assert not users.is_password_of("alice", "secret")


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_an_unknown_user_looks_like_a_known_one_and_always_the_same(mechanism: str) -> None:
    """RFC 5802 section 5.1 wants no difference before the proof; a salt that changed would be one."""
    store = MemoryStore()
    users = with_alice(store)
    known, unknown = users.credential(mechanism, "alice"), users.credential(mechanism, "mallory")
    assert unknown == Users(store).credential(mechanism, "mallory")
    assert unknown != users.credential(mechanism, "mallet")
    assert [len(unknown.salt), len(unknown.stored_key), unknown.iterations] == [
        len(known.salt),
        len(known.stored_key),
        known.iterations,
    ]
    assert not users.is_password_of("mallory", "")


def test_unknown_users_have_the_iterations_that_known_ones_have() -> None:
    users = Users(MemoryStore())
    users.alter([("slow", "SCRAM-SHA-256", new_credential("SCRAM-SHA-256", "x", 16_384))])
    assert users.credential("SCRAM-SHA-256", "nobody").iterations == 16_384


def test_unknown_users_have_salts_as_long_as_known_ones_have() -> None:
    """Admin clients choose the salt: librdkafka's has 64 bytes, and 24 would tell that there is no such user."""
    users = Users(MemoryStore())
    for mechanism, size in (("SCRAM-SHA-256", 64), ("SCRAM-SHA-512", 100)):
        salt = b"s" * size
        users.alter([("alice", mechanism, credential_of(mechanism, b"salted", salt, 4_096))])
        assert len(users.credential(mechanism, "nobody").salt) == size


def test_plain_takes_the_same_work_for_an_unknown_user_as_for_known_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    """Users that an admin client made may have SCRAM-SHA-256 alone, and other iterations than ours."""
    users = Users(MemoryStore())
    users.alter([("alice", "SCRAM-SHA-256", new_credential("SCRAM-SHA-256", "x", 8_192))])
    work: list[tuple[str, int]] = []

    def salted(mechanism: str, password: str, salt: bytes, iterations: int) -> bytes:
        work.append((mechanism, iterations))
        return b""

    monkeypatch.setattr("muster.security.scram.salted_password", salted)
    for name in ("alice", "mallory"):
        assert not users.is_password_of(name, "wrong")
    assert work == [("SCRAM-SHA-256", 8_192)] * 2


def test_plain_is_checked_with_whatever_credential_the_user_has() -> None:
    for mechanism in MECHANISMS:
        users = with_alice(MemoryStore(), mechanisms=(mechanism,))
        assert PlainExchange(users).step(b"\0alice\0secret") == Accepted("alice")


@pytest.mark.parametrize(
    ("token", "told"),
    [
        (b"\0alice\0wrong", "Invalid username or password"),
        (b"\0mallory\0secret", "Invalid username or password"),
        (b"\0\0secret", "username not specified"),
        (b"\0alice\0", "password not specified"),
        (b"bob\0alice\0secret", "different from username"),
        (b"alice\0secret", "expected 3 tokens, got 2"),
        (b"\0alice\0secret\0", "expected 3 tokens, got 4"),
        (b"", "expected 3 tokens, got 1"),
        (b"\0\xff\0secret", "not UTF-8"),
        (b"\0" + b"a" * 9000, "too many"),
    ],
)
def test_plain_refuses_what_is_wrong_in_kafkas_words(token: bytes, told: str) -> None:
    with pytest.raises(AuthenticationFailed) as caught:
        PlainExchange(with_alice(MemoryStore())).step(token)
    assert told in caught.value.told
    assert "secret" not in caught.value.told + caught.value.why


def test_a_damaged_document_is_refused_without_showing_what_it_holds() -> None:
    store = MemoryStore()
    with_alice(store)
    content = store.read_document(DOCUMENT)
    assert content is not None
    document = json.loads(content)
    secret = document["users"]["alice"]["SCRAM-SHA-256"]["stored_key"]
    del document["users"]["alice"]["SCRAM-SHA-256"]["salt"]
    for broken in (b"", b"{", content[:100], json.dumps(document).encode(), b'{"version": 2}', b"[]", b'{"version":1}'):
        store.write_document(DOCUMENT, broken)
        with pytest.raises(StorageError, match=r"users.json") as caught:
            Users(store).names()
        assert secret not in str(caught.value)


def test_a_change_that_cannot_be_kept_does_not_count() -> None:
    class Full(MemoryStore):
        def write_document(self, name: str, content: bytes) -> None:
            raise StorageError("the disk is full")

    users = Users(Full())
    with pytest.raises(StorageError):
        users.alter([("alice", "SCRAM-SHA-256", new_credential("SCRAM-SHA-256", "secret"))])
    assert users.names() == []
