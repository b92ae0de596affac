"""What is asked of the `muster` command at a broker, feature by feature; where Kafka has a tool for it, the tool is asked too."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

from tests.conformance.clients.tools.shell import SECONDS_A_TOOL, Shell, says, until
from tests.conformance.clients.tools.transactions import raw_producer

MINUTE_MS = 60_000
START_MS = time.time_ns() // 1_000_000 - 60 * MINUTE_MS
"""An hour ago: what is older than retention.ms may be deleted any moment."""


def muster(shell: Shell, *arguments: str, stdin: str = "", ends_with: int = 0) -> str:
    """What it printed; it must end with this code."""
    command = [sys.executable, "-m", "muster", *arguments, "--bootstrap", f"{shell.node.host}:{shell.node.port}"]
    ran = subprocess.run(command, input=stdin, capture_output=True, text=True, timeout=SECONDS_A_TOOL)
    shell.talk += [f"$ muster {' '.join(arguments)}", *(ran.stdout + ran.stderr).splitlines()[:20]]
    assert ran.returncode == ends_with, f"muster {arguments[0]} ended with {ran.returncode}: {ran.stderr.strip()}"
    return ran.stdout + (ran.stderr if ends_with else "")


def rows(shell: Shell, *arguments: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in muster(shell, *arguments, "--json").splitlines()]


def topics(shell: Shell) -> None:
    muster(shell, "topics", "create", "made", "--partitions", "2", "--config", "retention.ms=1000000")
    assert "TOPIC_ALREADY_EXISTS" in muster(shell, "topics", "create", "made", ends_with=1)
    muster(shell, "topics", "create", "made", "--if-not-exists")
    muster(shell, "topics", "alter", "made", "--partitions", "3", "--config", "cleanup.policy=compact")
    described = shell.run("topics", "--describe", "--topic", "made")
    assert "PartitionCount: 3" in described
    assert "cleanup.policy=compact" in described
    facts = rows(shell, "topics", "describe", "made")[0]
    assert {each["name"]: each["value"] for each in facts["settings"]} == {
        "cleanup.policy": "compact",
        "retention.ms": "1000000",
    }
    shell.saw("partitions", str(facts["partitions"]))
    shell.saw("listed", str([row for row in rows(shell, "topics", "list") if row["topic"] == "made"]))
    shell.saw("a wrong value", muster(shell, "topics", "alter", "made", "--config", "retention.ms=x", ends_with=1))
    muster(shell, "topics", "delete", "made")
    assert "there is no such topic" in muster(shell, "topics", "describe", "made", ends_with=1)


def transactions(shell: Shell) -> None:
    muster(shell, "topics", "create", "txn-lines", "--partitions", "2")
    with raw_producer(shell, "command-open") as producer:
        producer.start()
        producer.add("txn-lines", 0, 1)
        producer.send("txn-lines", 0, b"open")
        (listed,) = rows(shell, "transactions", "list", "--pattern", "command-.*")
        shell.saw("listed", f"{listed['transactional_id']} {listed['state']}")
        assert str(listed["producer_id"]) in shell.run(
            "transactions", "list", "--transactional-id-pattern", "command-.*"
        )
        (described,) = rows(shell, "transactions", "describe", "command-open")
        shell.saw("described", f"{described['state']} {described['producer_epoch']} {described['partitions']}")
        muster(shell, "transactions", "abort", "command-open")  # a dry run
        assert rows(shell, "transactions", "describe", "command-open")[0]["state"] == "Ongoing"
        muster(shell, "transactions", "abort", "command-open", "--execute")
    which = ("describe", "--transactional-id", "command-open")
    until("Kafka's tool sees its end", lambda: "Empty" in shell.run("transactions", *which))
    shell.saw("after its end", rows(shell, "transactions", "describe", "command-open")[0]["state"])
    shell.saw("hanging", str(rows(shell, "transactions", "find-hanging", "--topic", "txn-lines:0,1")))
    shell.saw("unknown", muster(shell, "transactions", "describe", "nobody", ends_with=1))


def records(shell: Shell) -> None:
    muster(shell, "topics", "create", "lines", "--partitions", "2")
    for acks, compression in (("all", "zstd"), ("1", "gzip"), ("0", "none")):
        flags = ("--key-separator", ":", "--header", "h=1", "--acks", acks, "--compression", compression)
        muster(shell, "produce", "lines", *flags, stdin=f"ada:{acks} one\nbob:{acks} two\n")
    ours = rows(shell, "consume", "lines", "--from-beginning", "--max", "6")
    told = shell.run("console-consumer", "--topic", "lines", "--from-beginning", "--max-messages", "6")
    theirs = [line for line in told.splitlines() if " one" in line or " two" in line]
    assert sorted(row["value"] for row in ours) == sorted(theirs)
    content = [(row["partition"], row["offset"], row["key"], row["value"], row["headers"]) for row in ours]
    shell.saw("records", str(sorted(content)))
    shell.saw("an unknown topic", muster(shell, "produce", "nowhere", stdin="x\n", ends_with=1))


def records_in_a_group(shell: Shell) -> None:
    _payments(shell, "paid")
    first = muster(shell, "consume", "paid", "--group", "payers", "--from-beginning", "--max", "4").split()
    rest = muster(shell, "consume", "paid", "--group", "payers", "--until-end").split()
    assert sorted([*first, *rest]) == sorted(map(str, [*range(10), *range(4)]))
    told = shell.run("consumer-groups", "--describe", "--group", "payers")
    assert re.search(r"paid\s+0\s+10\s+10\s+0\s", told), told
    assert re.search(r"paid\s+1\s+4\s+4\s+0\s", told), told


def describe(shell: Shell) -> None:
    _payments(shell, "seen")
    with _member(shell, "seen", "seers"):
        state = rows(shell, "groups", "describe", "seers")[0]
        assert (state["state"], state["type"], state["assignor"]) == ("Stable", "classic", "range")
        assert state["members"][0]["assignment"] == {"seen": [0, 1]}
        ours = [(row["topic"], row["partition"], row["committed"], row["end"], row["lag"]) for row in state["offsets"]]
        assert ours == _offsets_of_kafkas_tool(shell, "seers")
        shell.saw(
            "state", str([state[name] for name in ("state", "type", "protocol_type", "assignor", "member_count")])
        )
        listed = [row for row in rows(shell, "groups", "list", "--state", "Stable") if row["group"] == "seers"]
        shell.saw("listed", str(listed))
        assert rows(shell, "groups", "members", "seers")[0]["partitions"] == 2
    shell.saw("unknown", muster(shell, "groups", "describe", "nobody", ends_with=1))


def reset_offsets(shell: Shell) -> None:
    """Each target computed by both tools from the same commits: the plans must be equal."""
    _payments(shell, "reset")
    muster(shell, "consume", "reset", "--group", "resetters", "--from-beginning", "--until-end")
    which = ("groups", "reset-offsets", "resetters", "--topic", "reset")
    muster(shell, *which, "--to-offset", "3", "--execute")
    targets = (
        ("--to-earliest",),
        ("--to-latest",),
        ("--to-current",),
        ("--to-offset", "7"),
        ("--shift-by", "-2"),
        ("--shift-by", "5"),
        ("--to-datetime", _datetime(START_MS + 3 * MINUTE_MS // 2)),
        ("--to-datetime", "2030-01-01T00:00:00.000"),
        ("--by-duration", "P0DT0H1M0S"),
    )
    for number, target in enumerate(targets):
        ours = muster(shell, *which, *target, "--export")
        theirs = shell.run(
            "consumer-groups",
            "--reset-offsets",
            "--group",
            "resetters",
            "--topic",
            "reset",
            *target,
            "--export",
            "--dry-run",
        )
        plan = sorted(line.replace('"', "") for line in theirs.splitlines() if re.fullmatch(r'"?reset"?,\d+,\d+', line))
        assert sorted(ours.split()) == plan, f"{target}: {ours!r}, {theirs!r}"
        shell.saw(f"{target[0]} {number}", ours)
    muster(shell, *which, "--to-earliest", "--execute")
    assert [row[2] for row in _offsets_of_kafkas_tool(shell, "resetters")] == [0, 0]
    with _member(shell, "reset", "resetters"):
        busy = muster(shell, *which, "--to-earliest", "--execute", ends_with=1)
        assert "is Stable with 1 member: offsets can only be reset while nobody is in the group" in busy


def delete(shell: Shell) -> None:
    _payments(shell, "gone")
    muster(shell, "consume", "gone", "--group", "goers", "--from-beginning", "--until-end")
    muster(shell, "groups", "delete-offsets", "goers", "--topic", "gone:0")
    assert [row["partition"] for row in rows(shell, "groups", "offsets", "goers")] == [1]
    with _member(shell, "gone", "goers"):
        busy = muster(shell, "groups", "delete-offsets", "goers", "--topic", "gone:1", ends_with=1)
        assert "GROUP_SUBSCRIBED_TO_TOPIC" in busy
        assert "NON_EMPTY_GROUP" in muster(shell, "groups", "delete", "goers", ends_with=1)
    muster(shell, "groups", "delete", "goers")
    assert "goers" not in shell.run("consumer-groups", "--list").split()
    shell.saw("again", muster(shell, "groups", "delete", "goers", ends_with=1))


def _payments(shell: Shell, topic: str) -> None:
    """Ten records in partition 0 and four in partition 1, a minute apart."""
    muster(shell, "topics", "create", topic, "--partitions", "2")
    lines = [
        json.dumps({"value": str(number), "partition": partition, "timestamp": START_MS + number * MINUTE_MS})
        for partition, count in ((0, 10), (1, 4))
        for number in range(count)
    ]
    muster(shell, "produce", topic, "--from-json", stdin="\n".join(lines))


@contextmanager
def _member(shell: Shell, topic: str, group: str) -> Iterator[None]:
    mine = ("--topic", topic, "--group-id", group, "--group-protocol", "classic", "--reset-policy", "earliest")
    with shell.beside("verifiable-consumer", *mine) as output:
        says("it has its partitions", output, '"partitions_assigned"')
        yield


def _offsets_of_kafkas_tool(shell: Shell, group: str) -> list[tuple[str, int, int | None, int, int | None]]:
    told = shell.run("consumer-groups", "--describe", "--group", group, "--offsets")
    found = re.findall(rf"^{group}\s+(\S+)\s+(\d+)\s+(\S+)\s+(\d+)\s+(\S+)", told, flags=re.MULTILINE)
    return sorted((topic, int(number), _number(at), int(end), _number(lag)) for topic, number, at, end, lag in found)


def _datetime(at_ms: int) -> str:
    return datetime.fromtimestamp(at_ms / 1000, UTC).strftime("%Y-%m-%dT%H:%M:%S.000")


def _number(text: str) -> int | None:
    return None if text == "-" else int(text)
