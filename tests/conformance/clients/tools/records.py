"""The console and verifiable producers and consumers, and the two performance tools."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.conformance.clients.tools.shell import Shell, lines_of, says, until


def console_producer(shell: Shell) -> None:
    shell.run("topics", "--create", "--topic", "typed", "--partitions", "1")
    keyed = ("--reader-property", "parse.key=true", "--reader-property", "key.separator=:")
    shell.run("console-producer", "--topic", "typed", *keyed, stdin="a:1\nb:2\n")
    for codec in ("gzip", "snappy", "lz4", "zstd"):
        shell.run("console-producer", "--topic", "typed", "--compression-codec", codec, *keyed, stdin=f"{codec}:1\n")
    shell.run("console-producer", "--topic", "typed", "--sync", "--request-required-acks", "1", *keyed, stdin="s:1\n")
    assert "typed:0:7" in shell.run("get-offsets", "--topic", "typed")


def console_consumer(shell: Shell) -> None:
    shell.run("topics", "--create", "--topic", "shown", "--partitions", "1")
    keyed = ("--reader-property", "parse.key=true", "--reader-property", "key.separator=:")
    shell.run("console-producer", "--topic", "shown", *keyed, stdin="a:1\nb:2\nc:3\n")
    show = [item for name in ("key", "offset", "partition") for item in ("--formatter-property", f"print.{name}=true")]
    said = shell.run("console-consumer", "--topic", "shown", "--from-beginning", "--max-messages", "3", *show)
    shell.saw("all", said)
    place = ("--partition", "0", "--offset", "2", "--max-messages", "1")
    shell.saw("from offset 2", shell.run("console-consumer", "--topic", "shown", *place))
    committed = ("--isolation-level", "read_committed", "--from-beginning", "--max-messages", "3")
    shell.saw("read committed", shell.run("console-consumer", "--topic", "shown", *committed))


def console_consumer_in_a_group(shell: Shell) -> None:
    shell.run("topics", "--create", "--topic", "grouped", "--partitions", "2")
    shell.run("console-producer", "--topic", "grouped", stdin="one\ntwo\nthree\n")
    mine = ("--topic", "grouped", "--group", "console", "--from-beginning")
    first = shell.run("console-consumer", *mine, "--max-messages", "3")
    assert sorted(first.split("\n")[:3]) == ["one", "three", "two"], first
    shell.run("console-producer", "--topic", "grouped", stdin="four\n")
    second = shell.run("console-consumer", *mine, "--max-messages", "1")
    assert second.startswith("four"), second


def verifiable(shell: Shell) -> None:
    """Two consumers share the partitions and between them see every record."""
    shell.run("topics", "--create", "--topic", "verified", "--partitions", "4")
    # Keys spread the records: without them the producer stays with one partition for a whole batch.
    send = ("--topic", "verified", "--repeating-keys", "50", "--acks", "-1", "--max-messages")
    said = shell.run("verifiable-producer", *send, "200")
    summary = json.loads([line for line in said.splitlines() if '"tool_data"' in line][-1])
    assert (summary["sent"], summary["acked"]) == (200, 200), summary
    mine = ("--topic", "verified", "--group-id", "verified", "--group-protocol", "classic", "--verbose")
    with shell.beside("verifiable-consumer", *mine, "--reset-policy", "earliest") as first:
        says("the first has four partitions", first, '"partitions_assigned"')
        with shell.beside("verifiable-consumer", *mine, "--reset-policy", "earliest") as second:
            says("the second has its share", second, '"partitions_assigned"')
            says("the first is asked to share", first, '"partitions_revoked"')
            assert '"acked":100' in shell.run("verifiable-producer", *send, "100")
            says("the second reads, too", second, '"record_data"')
            until("the two have seen all", lambda: len(_records(first) | _records(second)) == 300)
    commits = [each for each in _events(first) + _events(second) if each["name"] == "offsets_committed"]
    assert commits, "nothing was committed"
    assert all(each["success"] for each in commits), "a commit failed"


def _events(output: Path) -> list[dict[str, Any]]:
    """Whole lines only: the tool may be in the middle of one."""
    return [json.loads(line) for line in lines_of(output) if line.startswith("{") and line.endswith("}")]


def _records(output: Path) -> set[tuple[int, int]]:
    return {(each["partition"], each["offset"]) for each in _events(output) if each["name"] == "record_data"}


def verifiable_with_assignors(shell: Shell) -> None:
    """A static member and a cooperative assignor, from the same tool."""
    shell.run("topics", "--create", "--topic", "assigned", "--partitions", "2")
    base = "org.apache.kafka.clients.consumer."
    for number, assignor in enumerate(("RangeAssignor", "RoundRobinAssignor", "CooperativeStickyAssignor")):
        which = ("--assignment-strategy", base + assignor, "--group-instance-id", "one")
        mine = ("--topic", "assigned", "--group-id", f"assigned-{number}", "--group-protocol", "classic")
        with shell.beside("verifiable-consumer", *mine, *which, "--session-timeout", "6000") as output:
            says("it has both", output, '"partitions_assigned"')
        assert '"shutdown_complete"' in output.read_text()


def performance(shell: Shell) -> None:
    shell.run("topics", "--create", "--topic", "quick", "--partitions", "2")
    load = ("--num-records", "20000", "--record-size", "100", "--throughput", "-1")
    assert "20000 records sent" in shell.run("producer-performance", "--topic", "quick", *load)
    said = shell.run("consumer-performance", "--topic", "quick", "--num-records", "20000")
    columns = said.strip().splitlines()[-1].split(",")
    assert int(columns[4]) >= 20_000, said
