"""Bodies of the transaction APIs in every version, and what a real Kafka 4.3.1 and its clients sent.

The golden bytes were written by the message classes of Kafka 4.3.1 itself, from the same fields. The recorded ones came over the
wire (`tests.wire.kafka.transactions`).
"""

from __future__ import annotations

from typing import Any

import pytest

from muster.wire.apis import APIS
from muster.wire.errors import WireError
from muster.wire.generated import add_offsets_to_txn as add_offsets
from muster.wire.generated import add_partitions_to_txn as add_partitions
from muster.wire.generated import (
    describe_producers,
    describe_transactions,
    end_txn,
    init_producer_id,
    list_transactions,
    txn_offset_commit,
    write_txn_markers,
)
from tests.wire.kafka.transactions import WATCHED, recorded_bodies
from tests.wire.messages import SCHEMAS, as_version_has_it, schema_of
from tests.wire.test_round_trip import codecs

TS = 1_700_000_000_000

GOLDEN: list[tuple[str, str, Any, dict[tuple[int, ...], str]]] = [
    (
        "InitProducerId",
        "request",
        init_producer_id.InitProducerIdRequest("txn", 60_000, 1000, 7),
        {
            (0, 1): "000374786e0000ea60",
            (2,): "0474786e0000ea6000",
            (3, 4, 5): "0474786e0000ea6000000000000003e8000700",
        },
    ),
    (
        "InitProducerId",
        "response",
        init_producer_id.InitProducerIdResponse(5, 51, 1000, 7),
        {(0, 1): "00000005003300000000000003e80007", (2, 3, 4, 5): "00000005003300000000000003e8000700"},
    ),
    (
        "AddPartitionsToTxn",
        "request",
        add_partitions.AddPartitionsToTxnRequest(
            "txn",
            1000,
            7,
            [add_partitions.AddPartitionsToTxnRequestTopic("orders", [0, 3])],
            [
                add_partitions.AddPartitionsToTxnRequestTransaction(
                    "txn", 1000, 7, True, [add_partitions.AddPartitionsToTxnRequestTransactionTopic("orders", [0, 3])]
                )
            ],
        ),
        {
            (0, 1, 2): "000374786e00000000000003e800070000000100066f7264657273000000020000000000000003",
            (3,): "0474786e00000000000003e8000702076f72646572730300000000000000030000",
            (4, 5): "020474786e00000000000003e800070102076f7264657273030000000000000003000000",
        },
    ),
    (
        "AddPartitionsToTxn",
        "response",
        add_partitions.AddPartitionsToTxnResponse(
            5,
            41,
            [
                add_partitions.AddPartitionsToTxnResponseTransaction(
                    "txn",
                    [
                        add_partitions.AddPartitionsToTxnResponseTransactionTopic(
                            "orders", [add_partitions.AddPartitionsToTxnResponseTransactionPartition(3, 120)]
                        )
                    ],
                )
            ],
            [
                add_partitions.AddPartitionsToTxnResponseTopic(
                    "orders", [add_partitions.AddPartitionsToTxnResponsePartition(3, 55)]
                )
            ],
        ),
        {
            (0, 1, 2): "000000050000000100066f726465727300000001000000030037",
            (3,): "0000000502076f726465727302000000030037000000",
            (4, 5): "000000050029020474786e02076f72646572730200000003007800000000",
        },
    ),
    (
        "AddOffsetsToTxn",
        "request",
        add_offsets.AddOffsetsToTxnRequest("txn", 1000, 7, "grp"),
        {
            (0, 1, 2): "000374786e00000000000003e800070003677270",
            (3, 4): "0474786e00000000000003e800070467727000",
        },
    ),
    (
        "AddOffsetsToTxn",
        "response",
        add_offsets.AddOffsetsToTxnResponse(5, 90),
        {(0, 1, 2): "00000005005a", (3, 4): "00000005005a00"},
    ),
    (
        "EndTxn",
        "request",
        end_txn.EndTxnRequest("txn", 1000, 7, True),
        {(0, 1, 2): "000374786e00000000000003e8000701", (3, 4, 5): "0474786e00000000000003e800070100"},
    ),
    (
        "EndTxn",
        "response",
        end_txn.EndTxnResponse(5, 48, 1000, 8),
        {(0, 1, 2): "000000050030", (3, 4): "00000005003000", (5,): "00000005003000000000000003e8000800"},
    ),
    (
        "WriteTxnMarkers",
        "request",
        write_txn_markers.WriteTxnMarkersRequest(
            [
                write_txn_markers.WriteTxnMarkersRequestMarker(
                    1000, 7, True, [write_txn_markers.WriteTxnMarkersRequestTopic("orders", [0, 3])], 9, 2
                )
            ]
        ),
        {
            (1,): "0200000000000003e800070102076f726465727303000000000000000300000000090000",
            (2,): "0200000000000003e800070102076f72646572730300000000000000030000000009020000",
        },
    ),
    (
        "WriteTxnMarkers",
        "response",
        write_txn_markers.WriteTxnMarkersResponse(
            [
                write_txn_markers.WriteTxnMarkersResponseMarker(
                    1000,
                    [
                        write_txn_markers.WriteTxnMarkersResponseTopic(
                            "orders", [write_txn_markers.WriteTxnMarkersResponsePartition(3, 52)]
                        )
                    ],
                )
            ]
        ),
        {(1, 2): "0200000000000003e802076f72646572730200000003003400000000"},
    ),
    (
        "TxnOffsetCommit",
        "request",
        txn_offset_commit.TxnOffsetCommitRequest(
            "txn",
            "grp",
            1000,
            7,
            2,
            "m1",
            "i1",
            [
                txn_offset_commit.TxnOffsetCommitRequestTopic(
                    "orders", [txn_offset_commit.TxnOffsetCommitRequestPartition(3, 42, 6, "note")]
                )
            ],
        ),
        {
            (0, 1): (
                "000374786e000367727000000000000003e800070000000100066f726465727300000001"
                "00000003000000000000002a00046e6f7465"
            ),
            (2,): (
                "000374786e000367727000000000000003e800070000000100066f726465727300000001"
                "00000003000000000000002a0000000600046e6f7465"
            ),
            (3, 4, 5): (
                "0474786e0467727000000000000003e8000700000002036d3103693102076f726465727302"
                "00000003000000000000002a00000006056e6f7465000000"
            ),
        },
    ),
    (
        "TxnOffsetCommit",
        "response",
        txn_offset_commit.TxnOffsetCommitResponse(
            5,
            [
                txn_offset_commit.TxnOffsetCommitResponseTopic(
                    "orders", [txn_offset_commit.TxnOffsetCommitResponsePartition(3, 22)]
                )
            ],
        ),
        {
            (0, 1, 2): "000000050000000100066f726465727300000001000000030016",
            (3, 4, 5): "0000000502076f726465727302000000030016000000",
        },
    ),
    (
        "DescribeProducers",
        "request",
        describe_producers.DescribeProducersRequest(
            [describe_producers.DescribeProducersRequestTopic("orders", [0, 3])]
        ),
        {(0,): "02076f72646572730300000000000000030000"},
    ),
    (
        "DescribeProducers",
        "response",
        describe_producers.DescribeProducersResponse(
            5,
            [
                describe_producers.DescribeProducersResponseTopic(
                    "orders",
                    [
                        describe_producers.DescribeProducersResponsePartition(
                            3, 0, None, [describe_producers.DescribeProducersResponseProducer(1000, 7, 4, TS, 9, 42)]
                        )
                    ],
                )
            ],
        ),
        {
            (0,): (
                "0000000502076f726465727302000000030000000200000000000003e80000000700000004"
                "0000018bcfe5680000000009000000000000002a00000000"
            )
        },
    ),
    (
        "DescribeTransactions",
        "request",
        describe_transactions.DescribeTransactionsRequest(["txn"]),
        {(0,): "020474786e00"},
    ),
    (
        "DescribeTransactions",
        "response",
        describe_transactions.DescribeTransactionsResponse(
            5,
            [
                describe_transactions.DescribeTransactionsResponseTransaction(
                    0,
                    "txn",
                    "Ongoing",
                    60_000,
                    TS,
                    1000,
                    7,
                    [describe_transactions.DescribeTransactionsResponseTopic("orders", [0, 3])],
                )
            ],
        ),
        {
            (0,): (
                "000000050200000474786e084f6e676f696e670000ea600000018bcfe5680000000000000003e80007"
                "02076f7264657273030000000000000003000000"
            )
        },
    ),
    (
        "ListTransactions",
        "request",
        list_transactions.ListTransactionsRequest(["Ongoing"], [1000], 10_000, "txn.*"),
        {
            (0,): "02084f6e676f696e670200000000000003e800",
            (1,): "02084f6e676f696e670200000000000003e8000000000000271000",
            (2,): "02084f6e676f696e670200000000000003e800000000000027100674786e2e2a00",
        },
    ),
    (
        "ListTransactions",
        "response",
        list_transactions.ListTransactionsResponse(
            5, 0, ["Strange"], [list_transactions.ListTransactionsResponseTransaction("txn", 1000, "Ongoing")]
        ),
        {(0, 1, 2): "0000000500000208537472616e6765020474786e00000000000003e8084f6e676f696e670000"},
    ),
]


@pytest.mark.parametrize(("name", "direction", "message", "bodies"), GOLDEN)
def test_a_message_has_the_bytes_that_kafka_gives_it_in_every_version(
    name: str, direction: str, message: Any, bodies: dict[tuple[int, ...], str]
) -> None:
    """Spec 2.1: a field that the version lacks is left out and comes back as its default."""
    assert sorted(version for versions in bodies for version in versions) == list(SCHEMAS[name].version_numbers())
    for versions, body in bodies.items():
        for version in versions:
            encode, decode = codecs(SCHEMAS[name].key, direction, version)
            expected = as_version_has_it(message, schema_of(name, direction).root, version)
            assert encode(expected).hex() == body
            assert decode(bytes.fromhex(body), 0) == expected


@pytest.mark.parametrize(("client", "name", "version", "direction", "body"), recorded_bodies())
def test_a_recorded_body_is_read_to_its_end_and_written_the_same(
    client: str, name: str, version: int, direction: str, body: str
) -> None:
    encode, decode = codecs(SCHEMAS[name].key, direction, version)
    message = decode(bytes.fromhex(body), 0)
    assert encode(message).hex() == body
    with pytest.raises(WireError):
        decode(bytes.fromhex(body)[:-1], 0)


def test_every_version_was_recorded_in_both_directions() -> None:
    recorded = {(name, version, direction) for _, name, version, direction, _ in recorded_bodies()}
    expected = {
        (name, version, direction)
        for name in WATCHED
        for version in SCHEMAS[name].version_numbers()
        for direction in ("request", "response")
    }
    assert recorded == expected


def test_a_recorded_marker_request_names_all_partitions_of_the_transaction() -> None:
    """The broker's own, to itself, when librdkafka had committed; transaction version 0: that client knows no other (KIP-1228)."""
    (body,) = (
        body
        for client, name, version, direction, body in recorded_bodies()
        if (client, name, version, direction) == ("Kafka", "WriteTxnMarkers", 2, "request")
    )
    (marker,) = codecs(SCHEMAS["WriteTxnMarkers"].key, "request", 2)[1](bytes.fromhex(body), 0).markers
    assert (marker.producer_epoch, marker.transaction_result, marker.transaction_version) == (0, True, 0)
    added = {topic.name: list(topic.partition_indexes) for topic in marker.topics}
    assert added == {"payments": [0], "orders": [0, 1], "__consumer_offsets": [0]}


@pytest.mark.parametrize(
    ("name", "version", "head"),
    [
        ("AddPartitionsToTxn", 0, "000374786e00000000000003e80007"),
        ("AddPartitionsToTxn", 5, ""),
        ("WriteTxnMarkers", 2, ""),
        ("TxnOffsetCommit", 0, "000374786e000367727000000000000003e80007"),
        ("DescribeTransactions", 0, ""),
        ("ListTransactions", 2, ""),
    ],
)
def test_a_request_with_too_many_items_is_refused_before_they_are_decoded(name: str, version: int, head: str) -> None:
    api = APIS[SCHEMAS[name].key]
    count = bytes.fromhex("d28603") if api.is_flexible(version) else (50_001).to_bytes(4, "big")
    with pytest.raises(WireError, match="50001"):
        codecs(api.key, "request", version)[1](bytes.fromhex(head) + count + bytes(2_000_000), 0)
