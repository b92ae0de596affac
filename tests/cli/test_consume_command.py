"""`muster consume` without and with a group: from where, up to where, in which form, and how it ends."""

from __future__ import annotations

import asyncio
import io
import signal
import subprocess
from collections.abc import Callable
from contextlib import redirect_stdout

import pytest
from confluent_kafka import Producer
from confluent_kafka import TopicPartition as Place
from confluent_kafka.admin import AdminClient

from muster.cli.consume.format import printer
from muster.cli.consume.reading import Reading
from muster.client.cluster import Cluster
from muster.client.partitions import TopicPartition
from muster.testing import Broker
from muster.wire.batch import Record
from tests.cli.command import PATIENCE_SECONDS, Told, command, environment, muster, piped
from tests.client.members import QUICK_CONSUMERS
from tests.testing.confluent_members import consumer

Consume = Callable[..., Told]
START_MS = 1_790_000_000_000
ALL = ("--from-beginning", "--until-end")


@pytest.fixture
def consume(broker: Broker) -> Consume:
    return lambda *arguments: muster("consume", *arguments, bootstrap=broker.bootstrap_servers)


@pytest.fixture(scope="module")
def letters(broker: Broker) -> str:
    """a to f in partition 0, a second apart; g and h in partition 1, later."""
    broker.create_topic("letters", 2, {"retention.ms": -1})
    producer = Producer({"bootstrap.servers": broker.bootstrap_servers, "linger.ms": 0})
    for number, letter in enumerate("abcdefgh"):
        where = 0 if letter < "g" else 1
        headers = [("n", str(number).encode())]
        producer.produce("letters", letter, f"k{number}", where, timestamp=START_MS + number * 1000, headers=headers)
        producer.flush()
    return "letters"


def committed(broker: Broker, group: str) -> dict[int, int]:
    rows = muster("groups", "offsets", group, "--json", bootstrap=broker.bootstrap_servers).done().rows
    return {row["partition"]: row["committed"] for row in rows}


# ---- without a group


STARTS = {
    "all": (("--from-beginning",), "abcdefgh"),
    "from now on": ((), ""),
    "one partition": (("--from-beginning", "--partition", "1"), "gh"),
    "an offset": (("--partition", "0", "--offset", "4"), "ef"),
    "the last of each": (("--offset", "-1"), "fh"),
    "more than there are": (("--offset", "-100"), "abcdefgh"),
    "since a time": (("--since", "2026-09-21T14:13:24"), "efgh"),
    "since a time in ms": (("--since", str(START_MS + 6000)), "gh"),
    "since a minute ago": (("--since", "1min"), ""),
    "so many": (("--from-beginning", "--max", "3", "--partition", "0"), "abc"),
}


@pytest.mark.parametrize(("flags", "expected"), STARTS.values(), ids=STARTS)
def test_it_reads(consume: Consume, letters: str, flags: tuple[str, ...], expected: str) -> None:
    told = consume(letters, *flags, "--until-end").done()
    assert sorted(told.out.split()) == list(expected)
    assert told.err == ""


def test_a_format_names_the_fields(consume: Consume, letters: str) -> None:
    flags = ("--partition", "0", "--offset", "1", "--max", "1")
    form = r"{topic}-{partition}@{offset} {time} {timestamp}\t{key}={value} {{{headers}}} {size}"
    line = consume(letters, *flags, "--format", form).done().out
    assert line == f"letters-0@1 2026-09-21T14:13:21.000Z {START_MS + 1000}\tk1=b {{n=1}} 1\n"


def test_json_has_everything(consume: Consume, letters: str) -> None:
    row = consume(letters, "--partition", "1", "--offset", "0", "--max", "1", "--json").done().rows[0]
    assert row == {
        "topic": "letters",
        "partition": 1,
        "offset": 0,
        "timestamp": START_MS + 6000,
        "key": "k6",
        "value": "g",
        "headers": [{"name": "n", "value": "6"}],
    }


def test_several_topics_are_read_at_once(broker: Broker, consume: Consume, letters: str) -> None:
    broker.create_topic("digits", 1)
    broker.produce("digits", "1", "2")
    assert sorted(consume(letters, "digits", *ALL).done().out.split()) == list("12abcdefgh")


def test_what_comes_while_it_reads_is_printed(broker: Broker) -> None:
    broker.create_topic("live", 1)
    arguments = command("consume", "live", "--max", "2", "--from-beginning")
    process = subprocess.Popen(arguments, stdout=subprocess.PIPE, env=environment(broker.bootstrap_servers))
    with process:
        assert process.stdout is not None
        broker.produce("live", "first")
        assert process.stdout.readline() == b"first\n"
        broker.produce("live", "second")
        assert process.stdout.read() == b"second\n"
    assert process.returncode == 0


def test_records_that_were_deleted_meanwhile_are_said_and_skipped(broker: Broker) -> None:
    """As auto.offset.reset=earliest, but said aloud."""
    broker.create_topic("shrinking", 1)
    broker.produce("shrinking", "a", "b", "c")
    admin = AdminClient({"bootstrap.servers": broker.bootstrap_servers})
    for done in admin.delete_records([Place("shrinking", 0, 2)]).values():
        done.result()
    said: list[str] = []
    out = io.TextIOWrapper(io.BytesIO())

    async def read() -> None:
        async with Cluster(broker.bootstrap_servers) as cluster:
            printed = printer(None, as_json=False, on_terminal=False)
            reading = Reading(cluster, printed, said.append, most=1, until_end=False, read_committed=False)
            await reading.begin({TopicPartition("shrinking", 0): 1})
            while not reading.is_done:
                await reading.step()
            await reading.close()
            assert reading.positions == {TopicPartition("shrinking", 0): 3}

    with redirect_stdout(out):
        asyncio.run(read())
    out.seek(0)
    assert (out.read(), said) == ("c\n", ["shrinking-0 has no offset 1 any more: going on at 2"])


# ---- in a group


@pytest.mark.parametrize("protocol", ["classic", "consumer"])
def test_a_member_commits_what_it_printed_and_the_next_goes_on_there(protocol: str) -> None:
    with Broker(QUICK_CONSUMERS, topics={"line": 1}) as quick:

        def consume(*flags: str) -> list[str]:
            arguments = ("consume", "line", "--group", "readers", "--protocol", protocol, *flags)
            return muster(*arguments, bootstrap=quick.bootstrap_servers).done().out.split()

        quick.produce("line", *"abcde")
        assert consume("--from-beginning", "--max", "2") == ["a", "b"]
        assert committed(quick, "readers") == {0: 2}
        (seen,) = muster("groups", "describe", "readers", "--json", bootstrap=quick.bootstrap_servers).done().rows
        assert (seen["state"], seen["type"]) == ("Empty", protocol)
        assert consume("--until-end", "--no-commit") == ["c", "d", "e"]
        assert committed(quick, "readers") == {0: 2}
        assert consume("--until-end") == ["c", "d", "e"]
        assert committed(quick, "readers") == {0: 5}


def test_a_newcomer_of_a_consumer_group_waits_for_what_others_have_yet_to_give_up() -> None:
    """KIP-848: it begins with nothing, which does not mean that there is nothing for it."""
    with Broker({**QUICK_CONSUMERS, "group.consumer.assignment.interval.ms": 1_000}, topics={"pairs": 2}) as quick:
        for number in range(2):
            quick.produce("pairs", f"value {number}", partition=number)
        flags = ("pairs", "--group", "pairs", "--protocol", "consumer", "--from-beginning", "--no-commit")
        environ = environment(quick.bootstrap_servers)
        with subprocess.Popen(command("consume", *flags), stdout=subprocess.PIPE, env=environ) as process:
            assert process.stdout is not None
            assert sorted(process.stdout.readline() for _ in range(2)) == [b"value 0\n", b"value 1\n"]
            told = muster("consume", *flags, "--until-end", bootstrap=quick.bootstrap_servers).done()
            process.send_signal(signal.SIGINT)
            assert process.wait(PATIENCE_SECONDS) == 130
        assert told.out in ("value 0\n", "value 1\n")


def test_a_new_group_begins_at_the_end_unless_told_otherwise(broker: Broker, consume: Consume) -> None:
    broker.create_topic("endless", 1)
    broker.produce("endless", "old")
    assert consume("endless", "--group", "modern", "--until-end").done().out == ""
    assert committed(broker, "modern") == {0: 1}


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_lets_a_member_commit_and_leave(broker: Broker, number: signal.Signals, code: int) -> None:
    group = topic = f"interrupted-{number.name}"
    broker.create_topic(topic, 1)
    broker.produce(topic, "a", "b")
    arguments = command("consume", topic, "--group", group, "--from-beginning")
    with subprocess.Popen(
        arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment(broker.bootstrap_servers)
    ) as process:
        assert process.stdout is not None
        assert [process.stdout.readline() for _ in range(2)] == [b"a\n", b"b\n"]
        process.send_signal(number)
        out, err = process.communicate(timeout=PATIENCE_SECONDS)
    assert (process.returncode, out, err) == (code, b"", b"")
    assert broker.group(group).state() == "Empty"
    assert committed(broker, group) == {0: 2}


def test_members_share_a_topic_with_those_of_other_clients(broker: Broker) -> None:
    broker.create_topic("common", 2)
    arguments = command("consume", "common", "--group", "mixed", "--from-beginning", "--json")
    with consumer(broker, "other", "mixed", "common") as other:
        broker.group("mixed").wait("Stable", members=1)
        with subprocess.Popen(arguments, stdout=subprocess.PIPE, env=environment(broker.bootstrap_servers)) as process:
            broker.group("mixed").wait("Stable", members=2)
            broker.produce("common", "a", partition=0)
            broker.produce("common", "b", partition=1)
            assert process.stdout is not None
            ours = process.stdout.readline()
            theirs = other.next()
            assert (b'"value": "a"' in ours, b'"value": "b"' in ours) in ((True, False), (False, True))
            assert theirs.value() == (b"b" if b'"value": "a"' in ours else b"a")
            process.send_signal(signal.SIGINT)
            assert process.wait(PATIENCE_SECONDS) == 130
        broker.group("mixed").wait("Stable", members=1)


# ---- ends and errors


def test_a_reader_that_has_seen_enough_ends_it_quietly(broker: Broker) -> None:
    broker.create_topic("long", 1)
    broker.produce("long", *(f"{number}" * 100 for number in range(3000)))
    for more in ((), ("--group", "hasty")):
        arguments = command("consume", "long", *ALL, *more)
        with subprocess.Popen(
            arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment(broker.bootstrap_servers)
        ) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == b"0" * 100 + b"\n"
            process.stdout.close()
            assert process.stderr is not None
            assert process.stderr.read() == b""
        assert process.returncode == 0
    assert committed(broker, "hasty") == {0: 0}  # the pipe is smaller than what came in one answer


WRONG = {
    "an unknown topic": (("leters",), 1, "there is no such topic. Did you mean letters?"),
    "an unknown topic in a group": (("leters", "--group", "g"), 1, "Did you mean letters?"),
    "no such partition": (("letters", "--partition", "7"), 2, "there is no partition 7"),
    "no such offset": (("letters", "--offset", "100"), 2, "--offset 100: not in letters-0; it has 0 to 5"),
    "two starts": (("letters", "--offset", "1", "--from-beginning"), 2, "--from-beginning and --offset"),
    "a place in a group": (("letters", "--offset", "1", "--group", "g"), 2, "--offset does not go with --group"),
    "no group": (("letters", "--no-commit"), 2, "--no-commit is for members"),
    "no group for a protocol": (("letters", "--protocol", "consumer"), 2, "--protocol is for members"),
    "no field": (("letters", "--format", "{vale}"), 2, "{vale} is no field; did you mean value?"),
    "a lonely brace": (("letters", "--format", "{"), 2, "{ is no field"),
    "no time": (("letters", "--since", "noon"), 2, "--since noon: give a span like"),
    "none": (("letters", "--max", "0"), 2, "--max 0: give 1 or more"),
}


@pytest.mark.parametrize(("flags", "code", "why"), WRONG.values(), ids=WRONG)
def test_it_is_refused_with_a_reason(
    consume: Consume, letters: str, flags: tuple[str, ...], code: int, why: str
) -> None:
    assert why in consume(*flags).refused(code)


def test_bytes_stay_bytes_in_a_pipe(broker: Broker) -> None:
    broker.create_topic("bytes", 1)
    producer = Producer({"bootstrap.servers": broker.bootstrap_servers})
    producer.produce("bytes", b"\xff\x1b[31m")
    producer.flush()
    arguments = command("consume", "bytes", *ALL, "--max", "1")
    out = subprocess.run(arguments, capture_output=True, env=environment(broker.bootstrap_servers), check=True).stdout
    assert out == b"\xff\x1b[31m\n"


def test_on_a_terminal_nothing_acts() -> None:
    record = Record(0, 0, None, b"a\x1b[31m\xff\n", ())
    printed = printer(None, as_json=False, on_terminal=True)
    assert printed(TopicPartition("t", 0), record) == b"a\\x1b[31m\\xff\\n\n"
    assert printer("{key} {headers}", as_json=False, on_terminal=False)(TopicPartition("t", 0), record) == b"null \n"


def test_the_command_is_piped_into_itself(broker: Broker, letters: str) -> None:
    broker.create_topic("again", 2)
    out = piped("consume", letters, *ALL, "--json", bootstrap=broker.bootstrap_servers).done().out
    piped("produce", "again", "--from-json", bootstrap=broker.bootstrap_servers, stdin=out.encode()).done()
    assert [record.value for record in broker.records("again")] == [record.value for record in broker.records(letters)]
