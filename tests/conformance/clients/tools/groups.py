"""kafka-consumer-groups and kafka-groups: a group with a member, then the same group without it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from tests.conformance.clients.tools.shell import Shell, says, until

_OWN_ID = re.compile(r"\s[\w-]{22}\s")
"""A member id that the client made (KIP-1082)."""


def _topic_with_lines(shell: Shell, topic: str, lines: int) -> None:
    shell.run("topics", "--create", "--topic", topic, "--partitions", "1")
    shell.run("console-producer", "--topic", topic, stdin="".join(f"line {number}\n" for number in range(lines)))


def _read_in_a_group(shell: Shell, topic: str, group: str, lines: int) -> None:
    mine = ("--topic", topic, "--group", group, "--from-beginning", "--max-messages", str(lines))
    shell.run("console-consumer", *mine)


@contextmanager
def _member(shell: Shell, topic: str, group: str, protocol: str = "classic") -> Iterator[None]:
    mine = ("--topic", topic, "--group-id", group, "--group-protocol", protocol, "--reset-policy", "earliest")
    with shell.beside("verifiable-consumer", *mine) as output:
        says("it has its partitions", output, '"partitions_assigned"')
        yield


def list_(shell: Shell) -> None:
    _topic_with_lines(shell, "listing", 2)
    _read_in_a_group(shell, "listing", "listing-empty", 2)
    with _member(shell, "listing", "listing-stable"):
        assert set(shell.run("consumer-groups", "--list").split()) >= {"listing-empty", "listing-stable"}
        shell.saw("with states", _own_lines(shell.run("consumer-groups", "--list", "--state")))
        shell.saw("the stable ones", _own_lines(shell.run("consumer-groups", "--list", "--state", "stable")))
        shell.saw("with types", _own_lines(shell.run("consumer-groups", "--list", "--type")))
        shell.saw("kafka-groups", _own_lines(shell.run("groups", "--list")))


def _own_lines(said: str) -> str:
    """The other features leave groups behind, some with numbers of chance in their names."""
    return "\n".join(sorted(line for line in said.splitlines() if line.startswith(("GROUP", "listing"))))


def of_the_consumer_protocol(shell: Shell) -> None:
    """KIP-848: listed, described with epochs and targets, emptied by its member, deleted."""
    _topic_with_lines(shell, "newer", 5)
    which = ("--describe", "--group", "newer")
    with _member(shell, "newer", "newer", "consumer"):
        _until_committed(shell, "newer", 5)
        assert "newer" in shell.run("consumer-groups", "--list", "--type", "consumer").split()
        assert "newer" not in shell.run("consumer-groups", "--list", "--type", "classic").split()
        for what in ("--offsets", "--members", "--state"):
            said = shell.run("consumer-groups", *which, what, "--verbose")
            shell.saw(what, _OWN_ID.sub(" ID ", said))
    until("the group is empty", lambda: "Empty" in shell.run("consumer-groups", *which, "--state"))
    shell.saw("deleted", shell.run("consumer-groups", "--delete", "--group", "newer"))


def describe(shell: Shell) -> None:
    _topic_with_lines(shell, "describing", 5)
    which = ("--describe", "--group", "describing")
    with _member(shell, "describing", "describing"):
        _until_committed(shell, "describing", 5)
        shell.saw("offsets", shell.run("consumer-groups", *which, "--offsets"))
        shell.saw("offsets, verbose", shell.run("consumer-groups", *which, "--offsets", "--verbose"))
        shell.saw("members", shell.run("consumer-groups", *which, "--members"))
        shell.saw("members, verbose", shell.run("consumer-groups", *which, "--members", "--verbose"))
        shell.saw("state", shell.run("consumer-groups", *which, "--state"))
        shell.saw("state, verbose", shell.run("consumer-groups", *which, "--state", "--verbose"))
    shell.saw("offsets without members", shell.run("consumer-groups", *which))
    shell.saw("members without members", shell.run("consumer-groups", *which, "--members"))
    shell.saw("state without members", shell.run("consumer-groups", *which, "--state"))
    unknown = shell.run("consumer-groups", "--describe", "--group", "nobody")
    shell.saw("unknown", _without_log(unknown))


def _until_committed(shell: Shell, group: str, offset: int) -> None:
    which = ("--describe", "--group", group)
    until(f"{offset} is committed", lambda: f" {offset} " in shell.run("consumer-groups", *which))


def reset_offsets(shell: Shell) -> None:
    _topic_with_lines(shell, "resetting", 10)
    _read_in_a_group(shell, "resetting", "resetting", 10)
    which = ("--reset-offsets", "--group", "resetting", "--topic", "resetting")
    shell.saw("dry run", shell.run("consumer-groups", *which, "--to-earliest", "--dry-run"))
    assert re.search(r"resetting\s+0\s+10\s", shell.run("consumer-groups", "--describe", "--group", "resetting"))
    targets = {
        "to earliest": ("--to-earliest",),
        "to offset": ("--to-offset", "7"),
        "shift": ("--shift-by", "-2"),
        "to time": ("--to-datetime", "2020-01-01T00:00:00.000"),
        "by duration": ("--by-duration", "P0DT0H1M0S"),
        "to latest": ("--to-latest",),
        "to current": ("--to-current",),
    }
    for name, target in targets.items():
        shell.saw(name, shell.run("consumer-groups", *which, *target, "--execute"))
    exported = shell.run("consumer-groups", *which, "--to-offset", "4", "--export", "--dry-run")
    shell.saw("exported", exported)
    plan = shell.folder / "plan.csv"
    plan.write_text("resetting,0,4\n")
    from_file = ("--reset-offsets", "--group", "resetting", "--from-file", str(plan), "--execute")
    shell.saw("from a file", shell.run("consumer-groups", *from_file))
    assert re.search(
        r"resetting\s+0\s+4\s+10\s+6\s", shell.run("consumer-groups", "--describe", "--group", "resetting")
    )
    with _member(shell, "resetting", "resetting"):
        busy = shell.run("consumer-groups", *which, "--to-earliest", "--execute")
        shell.saw("while there is a member", _without_log(busy))


def delete_offsets(shell: Shell) -> None:
    _topic_with_lines(shell, "dropping", 3)
    _topic_with_lines(shell, "dropping-too", 3)
    _read_in_a_group(shell, "dropping", "dropping", 3)
    _read_in_a_group(shell, "dropping-too", "dropping", 3)
    which = ("--delete-offsets", "--group", "dropping", "--topic", "dropping")
    shell.saw("done", shell.run("consumer-groups", *which))
    left = shell.run("consumer-groups", "--describe", "--group", "dropping")
    assert "dropping-too" in left
    assert not re.search(r"dropping\s+0", left)
    with _member(shell, "dropping", "dropping"):
        shell.saw("while it is read", _without_log(shell.run("consumer-groups", *which)))


def delete(shell: Shell) -> None:
    _topic_with_lines(shell, "deleting", 1)
    with _member(shell, "deleting", "deleting"):
        shell.saw("with a member", _without_log(shell.run("consumer-groups", "--delete", "--group", "deleting")))
    shell.saw("done", shell.run("consumer-groups", "--delete", "--group", "deleting"))
    assert "deleting" not in shell.run("consumer-groups", "--list").split()
    shell.saw("again", _without_log(shell.run("consumer-groups", "--delete", "--group", "deleting")))


def _without_log(said: str) -> str:
    """The sentence, without the stack below it. The tool ends with 0 whatever happened."""
    return "\n".join(line for line in said.splitlines() if not re.match(r"\s+at |Caused by|\t", line))
