"""Group records become generations, members and assignments; those of KIP-848 become epochs."""

from __future__ import annotations

from struct import pack

import pytest

from muster.core.records import GroupErased, GroupStored, StoredMember
from muster.wire.consumer_protocol import Assignment, Subscription, encode_assignment, encode_subscription
from muster.wire.varint import uvarint
from tests.pipeline.decode.bronze import NOW_MS, decoded, encoded

GROUP_KEY = bytes.fromhex("00020003677270")
TOPIC_ID = "000102030405060708090a0b0c0d0e0f"


def member(name: str, subscription: bytes = b"", assignment: bytes = b"", instance: str | None = None) -> StoredMember:
    return StoredMember(name, instance, "client", "/10.0.0.1", 300_000, 45_000, subscription, assignment)


def group(*members: StoredMember, protocol_type: str = "consumer", state_ms: int = NOW_MS - 250) -> GroupStored:
    return GroupStored("grp", protocol_type, 7, "range", members[0].member_id if members else None, state_ms, members)


def test_generation_carries_the_length_of_the_sync_phase() -> None:
    """Analytics 0.4: written when the leader syncs; the state began when the join phase ended."""
    (row,) = decoded(*encoded(group(member("m1"))))["s_group_generation"]
    assert (row["group_id"], row["generation"], row["protocol_type"], row["protocol"]) == (
        "grp",
        7,
        "consumer",
        "range",
    )
    assert (row["leader"], row["n_members"], row["state_ms"], row["sync_ms"]) == ("m1", 1, NOW_MS - 250, 250)
    assert (row["group_life"], row["kind"], row["faithful"]) == (None, None, None)


def test_group_that_became_empty_has_no_sync_phase() -> None:
    (row,) = decoded((GROUP_KEY, bytes.fromhex("00030008636f6e73756d657200000002ffffffff0000018bcfe5680000000000")))[
        "s_group_generation"
    ]
    assert (row["generation"], row["n_members"], row["protocol"], row["leader"]) == (2, 0, None, None)
    assert (row["state_ms"], row["sync_ms"]) == (NOW_MS, None)


def test_fresh_group_of_the_specification_reads() -> None:
    (row,) = decoded((GROUP_KEY, bytes.fromhex("0003000000000000ffffffff0000018bcfe5680000000000")))[
        "s_group_generation"
    ]
    assert (row["protocol_type"], row["generation"], row["n_members"]) == ("", 0, 0)


def test_tombstone_of_a_group_is_a_row_of_its_own() -> None:
    (row,) = decoded(*encoded(GroupErased("grp")))["s_group_generation"]
    assert (row["group_id"], row["kind"], row["generation"], row["n_members"]) == ("grp", "deleted", None, 0)


@pytest.mark.parametrize("version", range(5))
def test_every_version_of_a_group_value_reads(version: int) -> None:
    """Spec 5.3: 1 brings the rebalance timeout, 2 the state's time, 3 the instance id, 4 is flexible."""
    (row,) = decoded((GROUP_KEY, _group_value(version)))["s_group_generation"]
    assert (row["generation"], row["protocol"], row["n_members"]) == (7, "range", 1)
    assert row["state_ms"] == (NOW_MS - 250 if version >= 2 else None)
    (found,) = decoded((GROUP_KEY, _group_value(version)))["s_member"]
    assert (found["member_id"], found["client_id"], found["client_host"]) == ("m1", "cid", "/127.0.0.1")
    assert (found["session_timeout_ms"], found["rebalance_timeout_ms"]) == (45_000, 300_000 if version else 45_000)
    assert (found["instance_id"], found["identity"]) == (("i1", "i1") if version >= 3 else (None, "m1"))


def _group_value(version: int) -> bytes:
    flexible = version >= 4

    def text(content: str) -> bytes:
        raw = content.encode()
        return (uvarint(len(raw) + 1) if flexible else pack(">h", len(raw))) + raw

    def octets(content: bytes) -> bytes:
        return (uvarint(len(content) + 1) if flexible else pack(">i", len(content))) + content

    tags = b"\0" if flexible else b""
    parts = [pack(">h", version), text("consumer"), pack(">i", 7), text("range"), text("m1")]
    parts += [pack(">q", NOW_MS - 250)] if version >= 2 else []
    parts += [uvarint(2) if flexible else pack(">i", 1), text("m1")]
    parts += [text("i1")] if version >= 3 else []
    parts += [text("cid"), text("/127.0.0.1")]
    parts += [pack(">i", 300_000)] if version >= 1 else []
    parts += [pack(">i", 45_000), octets(b""), octets(b""), tags, tags]
    return b"".join(parts)


def test_subscription_and_assignment_of_consumers_are_looked_into() -> None:
    subscription = Subscription(["b", "a"], owned_partitions=[("a", [0, 1]), ("b", [2])], rack_id="r1")
    assignment = Assignment([("a", [0, 2]), ("b", [1])])
    made = decoded(*encoded(group(member("m1", encode_subscription(subscription), encode_assignment(assignment)))))
    (found,) = made["s_member"]
    assert (found["topics"], found["owned_partitions"], found["rack_id"]) == (["b", "a"], 3, "r1")
    assert [(row["member_id"], row["topic"], row["partition"]) for row in made["s_assignment"]] == [
        ("m1", "a", 0),
        ("m1", "a", 2),
        ("m1", "b", 1),
    ]


def test_version_0_of_a_subscription_does_not_say_what_is_owned() -> None:
    raw = encode_subscription(Subscription(["a"], version=0))
    (found,) = decoded(*encoded(group(member("m1", raw))))["s_member"]
    assert (found["topics"], found["owned_partitions"]) == (["a"], None)


def test_subscription_of_a_negative_version_still_gives_its_topics() -> None:
    """Trap 14: they occur in real logs."""
    raw = b"\xff\xff" + encode_subscription(Subscription(["a"], version=0))[2:]
    (found,) = decoded(*encoded(group(member("m1", raw))))["s_member"]
    assert found["topics"] == ["a"]


def test_other_protocol_types_are_opaque() -> None:
    """Trap 14: Connect and the schema registry put their own bytes there."""
    made = decoded(*encoded(group(member("m1", b"\x00\x01opaque", b"opaque"), protocol_type="connect")))
    assert (made["s_member"][0]["topics"], made["s_assignment"], made["b_quarantine"]) == (None, [], [])


def test_undecodable_assignment_is_quarantined_and_the_rest_of_the_group_is_not() -> None:
    good = encode_assignment(Assignment([("a", [0])]))
    made = decoded(*encoded(group(member("m1", b"", b"\x00\x01\xff"), member("m2", b"", good))))
    assert [row["member_id"] for row in made["s_member"]] == ["m1", "m2"]
    assert [row["member_id"] for row in made["s_assignment"]] == ["m2"]
    (row,) = made["b_quarantine"]
    assert row["reason"].startswith("member 'm1': consumer protocol assignment")
    assert row["value"] == b"\x00\x01\xff"


def test_empty_assignment_while_rebalancing_is_no_problem() -> None:
    """Trap 14: as while a group rebalances."""
    made = decoded(*encoded(group(member("m1"))))
    assert (made["s_assignment"], made["b_quarantine"]) == ([], [])


def test_group_value_of_an_unknown_version_is_quarantined() -> None:
    made = decoded((GROUP_KEY, b"\x00\x09junk"), (GROUP_KEY, b""), (b"\x00\x02\x00\x09gr", b"x"))
    reasons = [row["reason"] for row in made["b_quarantine"]]
    assert "version 9 is not known" in reasons[0]
    assert "version needs 2 bytes" in reasons[1]
    assert "group id in the key needs 9 bytes" in reasons[2]


@pytest.mark.parametrize(
    ("key", "value", "epoch"),
    [
        ("00030003677270", "00000000000700", 7),
        ("00030003677270", "0000000000020100080102030405060708", 2),
        ("00060003677270", "0000000000020100080000018bcfe56800", 2),
        ("00040003677270", f"000002{TOPIC_ID}04666f6f00000003010000", None),
    ],
)
def test_golden_group_epoch(key: str, value: str, epoch: int | None) -> None:
    """Spec 5.5, types 3, 6 and 4."""
    (row,) = decoded((bytes.fromhex(key), bytes.fromhex(value)))["s_group_epoch"]
    assert (row["group_id"], row["record_type"], row["epoch"], row["is_tombstone"]) == (
        "grp",
        int(key[3]),
        epoch,
        False,
    )


def test_golden_member_subscription() -> None:
    """Spec 5.5, type 5."""
    key = bytes.fromhex("0005000367727000026d31")
    value = bytes.fromhex("00000000046369640b2f3132372e302e302e310204666f6f01000493e008756e69666f726d00")
    (row,) = decoded((key, value))["s_member_epoch"]
    assert (row["group_id"], row["member_id"], row["record_type"]) == ("grp", "m1", 5)
    assert (row["client_id"], row["client_host"], row["topics"], row["instance_id"]) == (
        "cid",
        "/127.0.0.1",
        ["foo"],
        None,
    )
    with_classic = value[:-1] + bytes.fromhex("010010010000afc8020672616e676502010000")
    assert decoded((key, with_classic))["s_member_epoch"][0]["topics"] == ["foo"]


def test_topics_of_a_subscription_by_expression_cannot_be_told() -> None:
    """KIP-848: SubscribedTopicRegex, resolved by the broker. An empty one is none."""
    key = bytes.fromhex("0005000367727000026d31")
    value = bytes.fromhex("00000000046369640b2f3132372e302e302e310103662e000493e008756e69666f726d00")
    (row,) = decoded((key, value))["s_member_epoch"]
    assert (row["client_id"], row["topics"]) == ("cid", None)


@pytest.mark.parametrize(
    ("key", "value", "epoch", "state", "assigned", "pending"),
    [
        ("0007", f"000002{TOPIC_ID}0300000000000000010000", None, None, 2, None),
        ("0008", f"000000000007000000060002{TOPIC_ID}030000000000000001000100", 7, "STABLE", 2, 0),
        (
            "0008",
            f"000000000007000000060002{TOPIC_ID}0300000000000000010100090300000007000000070100",
            7,
            "STABLE",
            2,
            0,
        ),
        (
            "0008",
            f"00000000000700000006010102{TOPIC_ID}02000000050000",
            7,
            "UNREVOKED_PARTITIONS",
            0,
            1,
        ),
    ],
)
def test_golden_member_assignment(
    key: str, value: str, epoch: int | None, state: str | None, assigned: int, pending: int | None
) -> None:
    """Spec 5.5, types 7 and 8."""
    (row,) = decoded((bytes.fromhex(f"{key}000367727000026d31"), bytes.fromhex(value)))["s_member_epoch"]
    assert (row["member_epoch"], row["state"]) == (epoch, state)
    assert (row["n_assigned"], row["n_pending_revocation"]) == (assigned, pending)


@pytest.mark.parametrize("record_type", range(3, 9))
def test_tombstones_of_the_new_protocol_are_rows(record_type: int) -> None:
    member_part = "00026d31" if record_type in (5, 7, 8) else ""
    made = decoded((bytes.fromhex(f"{record_type:04x}0003677270{member_part}"), None))
    (row,) = made["s_member_epoch"] + made["s_group_epoch"]
    assert (row["is_tombstone"], row["record_type"]) == (True, record_type)


def test_values_of_other_writers_are_quarantined() -> None:
    """Trap 34: Redpanda writes values of its own under Kafka's keys."""
    made = decoded(
        (bytes.fromhex("00030003677270"), b"\x07\x01serde"), (bytes.fromhex("0008000367727000026d31"), b"\x00\x00\x01")
    )
    assert len(made["b_quarantine"]) == 2
    assert "version 1793 is not known" in made["b_quarantine"][0]["reason"]


def test_key_without_its_member_is_quarantined() -> None:
    (row,) = decoded((bytes.fromhex("00080003677270"), None))["b_quarantine"]
    assert row["reason"] == "the key ends before its member id"
