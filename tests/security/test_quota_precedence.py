"""Which quota counts: the table of Kafka's documentation ("Quotas", precedence of quota configuration), row by row."""

from __future__ import annotations

import pytest

from muster.security.quota_document import QuotaTable
from muster.security.quota_entities import CLIENT_ID, IP, MUSTER_REQUEST_RATE, USER, Entity
from muster.security.quota_rates import Windows
from muster.security.quotas import Quotas

WINDOWS = Windows(11, 1_000)
KEY = "producer_byte_rate"
BY_PRECEDENCE: tuple[dict[str, str | None], ...] = (
    {USER: "alice", CLIENT_ID: "app"},
    {USER: "alice", CLIENT_ID: None},
    {USER: "alice"},
    {USER: None, CLIENT_ID: "app"},
    {USER: None, CLIENT_ID: None},
    {USER: None},
    {CLIENT_ID: "app"},
    {CLIENT_ID: None},
)


def quotas_of(table: QuotaTable) -> Quotas:
    quotas = Quotas(WINDOWS, WINDOWS)
    quotas.replace(table)
    return quotas


def bound(quotas: Quotas, user: str = "alice", client_id: str = "app", key: str = KEY) -> float | None:
    found = quotas.find(key, user, client_id)
    return None if found is None else found[0]


@pytest.mark.parametrize("first", range(len(BY_PRECEDENCE)), ids=lambda row: str(Entity.of(BY_PRECEDENCE[row])))
def test_of_all_that_match_the_first_of_the_table_counts(first: int) -> None:
    quotas = quotas_of({Entity.of(names): {KEY: row + 1.0} for row, names in enumerate(BY_PRECEDENCE) if row >= first})
    assert bound(quotas) == first + 1


@pytest.mark.parametrize("names", BY_PRECEDENCE, ids=lambda names: str(Entity.of(names)))
def test_a_named_entity_bears_on_nobody_else(names: dict[str, str | None]) -> None:
    quotas = quotas_of({Entity.of(names): {KEY: 7.0}})
    assert bound(quotas) == 7
    assert bound(quotas, user="bob") == (None if names.get(USER) == "alice" else 7)
    assert bound(quotas, client_id="other") == (None if names.get(CLIENT_ID) == "app" else 7)


def test_each_quota_is_looked_for_by_itself() -> None:
    """A user's own request quota does not hide the bytes that are set for everybody."""
    quotas = quotas_of({Entity.of({USER: "alice"}): {"request_percentage": 5}, Entity.of({USER: None}): {KEY: 9}})
    assert bound(quotas) == 9
    assert bound(quotas, key="request_percentage") == 5
    assert bound(quotas, user="bob", key="request_percentage") is None


@pytest.mark.parametrize(
    ("names", "same_user", "same_client"),
    [
        ({USER: None, CLIENT_ID: None}, False, False),
        ({USER: "alice", CLIENT_ID: None}, False, False),
        ({USER: "alice"}, True, False),
        ({USER: None}, True, False),
        ({CLIENT_ID: "app"}, False, True),
        ({CLIENT_ID: None}, False, True),
    ],
    ids=lambda value: str(Entity.of(value)) if isinstance(value, dict) else "",
)
def test_what_is_counted_together_follows_from_the_rule(
    names: dict[str, str | None], same_user: bool, same_client: bool
) -> None:
    """A quota of a user is shared by all its client ids, one of a client id by all users who call themselves so."""
    quotas = quotas_of({Entity.of(names): {KEY: 10.0}})

    def is_shared(user: str, client_id: str) -> bool:
        used = quotas.limits("alice", "app", "/10.0.0.1", 0).produce
        other = quotas.limits(user, client_id, "/10.0.0.1", 0).produce
        return used is not None and other is not None and used.rate is other.rate

    assert is_shared("alice", "app")
    assert is_shared("alice", "other") is same_user
    assert is_shared("bob", "app") is same_client


def test_an_address_is_the_same_however_it_is_written() -> None:
    quotas = quotas_of(
        {
            Entity.of({IP: "::1"}): {MUSTER_REQUEST_RATE: 1},
            Entity.of({IP: "10.0.0.7"}): {MUSTER_REQUEST_RATE: 2},
            Entity.of({IP: None}): {MUSTER_REQUEST_RATE: 3},
        }
    )
    hosts = ("/0:0:0:0:0:0:0:1", "/10.0.0.7", "/::ffff:10.0.0.7", "/10.0.0.8")
    found = [quotas.address_limit(MUSTER_REQUEST_RATE, host) for host in hosts]
    assert [each and each.bound for each in found] == [1, 2, 2, 3]
    assert found[1] is not None
    assert found[2] is not None
    assert found[1].rate is found[2].rate


def test_what_was_used_stays_used_when_the_bound_changes() -> None:
    quotas = quotas_of({Entity.of({USER: "alice"}): {KEY: 100.0}})
    before = quotas.limits("alice", "app", "/10.0.0.1", 0).produce
    assert before is not None
    assert before.charge(1_000, 0) == 0
    version = quotas.version
    quotas.replace({Entity.of({USER: "alice"}): {KEY: 50.0}})
    assert quotas.version != version
    after = quotas.limits("alice", "app", "/10.0.0.1", 0).produce
    assert after is not None
    assert after.charge(50, 0) == 11_000


def test_client_ids_that_nobody_uses_any_more_are_forgotten() -> None:
    """They are the client's choice: a new one for each request must not fill the memory."""
    quotas = quotas_of({Entity.of({CLIENT_ID: None}): {KEY: 100.0}})
    for number in range(5_000):
        limit = quotas.limits("alice", f"app-{number}", "/10.0.0.1", number * 100).produce
        assert limit is not None
        limit.charge(1, number * 100)
    assert len(quotas._rates) < 2_500
