"""`muster produce`: lines into records, in every form; and what becomes of lines that are none."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from muster.cli.produce.command import batches, read_lines
from muster.cli.produce.lines import BadLine, LineFormat
from muster.client.producing import NewRecord
from muster.testing import Broker
from tests.cli.command import Told, muster, piped

Produce = Callable[..., Told]


@pytest.fixture
def produce(broker: Broker, tmp_path: Path) -> Produce:
    def produced(topic: str, text: str | bytes, *flags: str) -> Told:
        file = tmp_path / "lines"
        file.write_bytes(text.encode() if isinstance(text, str) else text)
        return muster("produce", topic, "--file", str(file), *flags, bootstrap=broker.bootstrap_servers)

    return produced


def test_lines_of_standard_input_become_records(broker: Broker) -> None:
    broker.create_topic("typed", 1)
    told = piped("produce", "typed", bootstrap=broker.bootstrap_servers, stdin="eins\n\nzwölf".encode()).done()
    assert [record.value for record in broker.records("typed")] == [b"eins", b"", "zwölf".encode()]
    assert (told.out, told.err) == ("", "3 records (10 bytes) written to typed\n")


def test_keys_headers_and_tombstones(broker: Broker, produce: Produce) -> None:
    broker.create_topic("keyed", 3)
    flags = ("--key-separator", r"\t", "--null", "NIL", "--header", "from=test", "--header", "empty=")
    where = produce("keyed", "ada\t1\nbob\tNIL\nada\t2\tand more\n", *flags, "--json").done().rows
    records = {(record.partition, record.offset): record for record in broker.records("keyed")}
    found = [records[row["partition"], row["offset"]] for row in where]
    assert [(each.key, each.value) for each in found] == [(b"ada", b"1"), (b"bob", None), (b"ada", b"2\tand more")]
    assert list(found[0].headers) == [("from", b"test"), ("empty", b"")]
    assert where[0]["partition"] == where[2]["partition"]


def test_json_lines_say_everything_and_come_back_as_they_went(broker: Broker, produce: Produce, tmp_path: Path) -> None:
    broker.create_topic("said", 2)
    broker.create_topic("copied", 2)
    rows = [
        {"key": "k", "value": "text", "headers": {"a": "1"}, "timestamp": 1_700_000_000_000, "partition": 1},
        {
            "key_base64": "/wA=",
            "value_base64": "gIE=",
            "headers": [{"name": "a"}, {"name": "a", "value_base64": "/w=="}],
        },
        {"key": None, "value": {"any": ["json", 1]}, "partition": 0},
        {"value": None, "partition": 0},
    ]
    produce("said", "".join(json.dumps(row) + "\n" for row in rows), "--from-json", "--quiet").done()
    one, *_ = [record for record in broker.records("said") if record.key == b"k"]
    assert (one.value, one.partition, one.timestamp_ms) == (b"text", 1, 1_700_000_000_000)
    assert b'{"any":["json",1]}' in [record.value for record in broker.records("said", 0)]
    flags = ("consume", "said", "--from-beginning", "--until-end", "--json")
    copy = muster(*flags, bootstrap=broker.bootstrap_servers).done().out
    produce("copied", copy, "--from-json").done()
    content = [
        (each.partition, each.key, each.value, each.headers, each.timestamp_ms) for each in broker.records("said")
    ]
    assert content == [
        (each.partition, each.key, each.value, each.headers, each.timestamp_ms) for each in broker.records("copied")
    ]


@pytest.mark.parametrize("compression", ["none", "gzip", "snappy", "lz4", "zstd"])
@pytest.mark.parametrize("acks", ["all", "1", "0"])
def test_it_arrives_with_any_compression_and_acknowledgement(
    broker: Broker, produce: Produce, compression: str, acks: str
) -> None:
    topic = f"way-{compression}-{acks}"
    broker.create_topic(topic, 1)
    flags = ("--compression", compression, "--acks", acks, "--partition", "0", "--json")
    where = produce(topic, "a\nb\nc\n", *flags).done().rows
    assert [row["offset"] for row in where] == ([None, None, None] if acks == "0" else [0, 1, 2])
    assert [record.value for record in broker.records(topic)] == [b"a", b"b", b"c"]


def test_a_big_file_goes_in_batches_that_brokers_take(broker: Broker, produce: Produce) -> None:
    broker.create_topic("big", 2)
    text = "".join(f"{number}\n" for number in range(150_000))
    assert produce("big", text).done().err == "150,000 records (0.8 MB) written to big\n"
    values = sorted(int(record.value or b"-1") for record in broker.records("big"))
    assert values == list(range(150_000))


BAD = {
    "no separator": ("a:1\nb\n", ("--key-separator", ":"), "line 2: there is no ':' between key and value in 'b'"),
    "no JSON": ('{"value": 1}\n{\n', ("--from-json",), "line 2: not JSON"),
    "no object": ('{"value": 1}\n[1]\n', ("--from-json",), "line 2: not a JSON object: '[1]'"),
    "no number": ('{"value": 1}\n{"partition": "0"}', ("--from-json",), "line 2: partition must be a whole number"),
    "no base64": ('{"value": 1}\n{"value_base64": "?"}', ("--from-json",), "line 2: value_base64 is not base64"),
    "no such field": (
        '{"value": 1}\n{"vaule": 2}',
        ("--from-json",),
        "line 2: there is no field 'vaule'; there are key,",
    ),
    "no headers": ('{"value": 1}\n{"headers": 5}', ("--from-json",), "line 2: headers must be an object"),
}


@pytest.mark.parametrize(("text", "flags", "why"), BAD.values(), ids=BAD)
def test_a_line_that_is_no_record_is_named_and_those_before_it_are_written(
    broker: Broker, produce: Produce, request: pytest.FixtureRequest, text: str, flags: tuple[str, ...], why: str
) -> None:
    topic = request.node.name.partition("[")[2].rstrip("]").replace(" ", "-")
    broker.create_topic(topic, 1)
    told = produce(topic, text, *flags)
    assert (told.code, why in told.err) == (1, True), told.err
    assert len(broker.records(topic)) == 1


def test_a_record_that_the_broker_finds_too_large_is_named_by_its_line(broker: Broker, produce: Produce) -> None:
    broker.create_topic("small", 1, {"max.message.bytes": 300_000})
    told = produce("small", b"a\n" + b"x" * 400_000 + b"\nb\n")
    assert told.code == 1
    assert "MESSAGE_TOO_LARGE" in told.err
    assert "lines 2 to 3 may not be written, what came before is" in told.err
    assert [record.value for record in broker.records("small")] == [b"a"]


WRONG = {
    "an unknown topic": (("typpo",), 1, "there is no such topic. Did you mean typo?"),
    "a partition that is not": (("typo", "--partition", "5"), 2, "--partition 5: topic typo has 0 to 0"),
    "a file that is not": (("typo", "--file", "/nowhere"), 2, "--file /nowhere: No such file"),
    "a directory": (("typo", "--file", "/tmp"), 2, "this is a directory"),
    "a header without a value": (("typo", "--header", "x"), 2, "write NAME=VALUE"),
    "two ways to say keys": (("typo", "--from-json", "--key-separator", ":"), 2, "--from-json says keys and nulls"),
    "an empty separator": (("typo", "--key-separator", ""), 2, "--key-separator is empty"),
}


@pytest.mark.parametrize(("flags", "code", "why"), WRONG.values(), ids=WRONG)
def test_it_is_refused_with_a_reason(broker: Broker, flags: tuple[str, ...], code: int, why: str) -> None:
    muster("topics", "create", "typo", "--if-not-exists", bootstrap=broker.bootstrap_servers).done()
    file = () if "--file" in flags else ("--file", "/dev/null")
    assert why in muster("produce", *flags, *file, bootstrap=broker.bootstrap_servers).refused(code)


def test_lines_are_given_on_as_they_come() -> None:
    """What was typed is sent, while the rest of the line is still to come."""
    reader, writer = os.pipe()
    lines = read_lines(reader)
    os.write(writer, b"a\nb\nc")
    assert next(lines) == [b"a", b"b"]
    os.write(writer, b"d\n")
    assert next(lines) == [b"cd"]
    os.write(writer, b"e")
    os.close(writer)
    assert list(lines) == [[b"e"]]
    os.close(reader)


def test_batches_count_headers_and_keys_too() -> None:
    records = [NewRecord(b"v", b"k" * 1000, (("h", b"x" * 200_000),)) for _ in range(5)]
    assert [len(batch) for batch in batches(records)] == [2, 2, 1]
    assert list(batches([])) == []


def test_a_line_in_an_error_is_cut() -> None:
    with pytest.raises(BadLine, match=r"x\.\.\.'$"):
        LineFormat(key_separator=b":").record(b"x" * 1000)
