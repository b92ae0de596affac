"""`muster acls`, against a real server: what it makes, shows and takes away, and what it says to wrong flags."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from muster.cli.main import main
from muster.server.running import RunningServer
from muster.server.settings import Settings

ON = {
    "listeners": "127.0.0.1:0",
    "muster.storage": "memory",
    "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
    "super.users": "User:ANONYMOUS",
}


class Command:
    def __init__(self, address: str, capsys: pytest.CaptureFixture[str]) -> None:
        self._address = address
        self._capsys = capsys

    def __call__(self, line: str, code: int = 0) -> str:
        """What it printed, to both streams; the exit code is checked."""
        assert main(["acls", *line.split(), "--bootstrap", self._address]) == code
        said = self._capsys.readouterr()
        return said.out + said.err

    def listed(self, line: str = "list") -> list[tuple[str, ...]]:
        shown = self(line + " --json").splitlines()
        rows = [json.loads(each) for each in shown if each != "no ACLs"]
        order = ("permission", "principal", "host", "operation", "resource", "pattern", "name")
        return [tuple(row[key] for key in order) for row in rows]


@pytest.fixture
def server() -> Iterator[RunningServer]:
    with RunningServer(Settings.of(ON)) as running:
        yield running


@pytest.fixture
def acls(server: RunningServer, capsys: pytest.CaptureFixture[str]) -> Command:
    return Command(server.address, capsys)


def test_what_is_added_is_listed_by_resource_and_in_json(acls: Command) -> None:
    assert acls("list") == "no ACLs\n"
    made = acls("add --allow-principal User:a --deny-principal User:b --deny-host 10.0.0.9 --operation read --topic t")
    text = "topic t\n  ALLOW READ             User:a\n  DENY  READ             User:b from 10.0.0.9\n"
    assert made == "made:\n" + text
    assert acls("list") == text
    acls("add --allow-principal User:a --group billing- --resource-pattern-type prefixed --cluster")
    assert acls.listed() == [
        ("ALLOW", "User:a", "*", "READ", "TOPIC", "LITERAL", "t"),
        ("DENY", "User:b", "10.0.0.9", "READ", "TOPIC", "LITERAL", "t"),
        ("ALLOW", "User:a", "*", "ALL", "GROUP", "PREFIXED", "billing-"),
        ("ALLOW", "User:a", "*", "ALL", "CLUSTER", "LITERAL", "kafka-cluster"),
    ]
    assert "group prefix billing-" in acls("list --group billing-7 --resource-pattern-type match")
    assert acls("list --group billing-7") == "no ACLs\n"
    assert len(acls.listed("list --principal User:b")) == 1


def test_a_producer_and_a_consumer_get_what_they_need(acls: Command) -> None:
    """The operations of kafka-acls."""
    acls("add --allow-principal User:p --producer --topic t --transactional-id x")
    acls("add --allow-principal User:c --consumer --topic t --group g")
    rights = {(row[1], row[3], row[4]) for row in acls.listed()}
    assert rights == {
        ("User:p", "WRITE", "TOPIC"),
        ("User:p", "DESCRIBE", "TOPIC"),
        ("User:p", "CREATE", "TOPIC"),
        ("User:p", "WRITE", "TRANSACTIONAL_ID"),
        ("User:p", "DESCRIBE", "TRANSACTIONAL_ID"),
        ("User:c", "READ", "TOPIC"),
        ("User:c", "DESCRIBE", "TOPIC"),
        ("User:c", "READ", "GROUP"),
    }


def test_remove_takes_what_is_spelt_out_or_what_a_filter_finds(acls: Command) -> None:
    acls("add --allow-principal User:a --allow-principal User:b --operation READ --operation WRITE --topic t --topic u")
    gone = acls("remove --allow-principal User:a --operation READ --topic t --yes")
    assert gone == "removed:\ntopic t\n  ALLOW READ             User:a\n"
    assert acls("remove --allow-principal User:a --operation READ --topic t --yes") == "no such ACLs\n"
    assert len(acls.listed()) == 7
    acls("remove --principal User:a --yes")
    assert {row[1] for row in acls.listed()} == {"User:b"}
    acls("remove --topic t --yes")
    assert {row[6] for row in acls.listed()} == {"u"}


def test_a_dry_run_changes_nothing(acls: Command) -> None:
    assert acls("add --allow-principal User:a --topic t --dry-run").startswith("would be made:\ntopic t\n")
    assert acls("list") == "no ACLs\n"
    acls("add --allow-principal User:a --topic t")
    assert acls("remove --topic t --dry-run").startswith("would be removed:\ntopic t\n")
    assert len(acls.listed()) == 1


def test_nothing_is_removed_unless_somebody_agrees(acls: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    acls("add --allow-principal User:a --topic t")
    assert "needs --yes" in acls("remove --topic t", code=2)
    monkeypatch.setattr("sys.stdin.isatty", lambda: True)
    monkeypatch.setattr("builtins.input", lambda _: "n")
    assert "nothing was removed" in acls("remove --topic t", code=1)
    monkeypatch.setattr("builtins.input", lambda _: "y")
    assert "removed:" in acls("remove --topic t")
    assert acls.listed() == []


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("add --topic t", "--allow-principal User:NAME"),
        ("add --allow-principal User:a", "--topic NAME"),
        ("add --allow-principal alice --topic t", "'alice' is no principal"),
        ("add --allow-principal User:a --topic t --operation REED", "choose from READ, WRITE"),
        ("add --allow-principal User:a --group g --operation WRITE", "for a group"),
        ("add --allow-host 10.0.0.1 --topic t", "--allow-host needs --allow-principal"),
        ("add --allow-principal User:a --consumer --topic t", "--topic and --group"),
        ("add --allow-principal User:a --producer --topic t --operation READ", "leave --operation out"),
        ("add --allow-principal User:a --producer --topic t --group g", "--producer takes"),
        ("add --allow-principal User:a --consumer --topic t --group g --transactional-id x", "goes with --producer"),
        ("add --deny-principal User:a --producer --topic t", "leave --deny-principal out"),
        ("remove --yes", "say which"),
        ("remove --allow-principal User:a --topic t --resource-pattern-type any", "go with --principal"),
        ("list --principal alice", "'alice' is no principal"),
    ],
)
def test_wrong_flags_are_told_with_what_to_write(acls: Command, line: str, words: str) -> None:
    assert words in acls(line, code=2)


def test_a_server_without_acls_says_how_to_switch_them_on(capsys: pytest.CaptureFixture[str]) -> None:
    with RunningServer(Settings.of({"listeners": "127.0.0.1:0", "muster.storage": "memory"})) as running:
        acls = Command(running.address, capsys)
        for line in ("list", "add --allow-principal User:a --topic t", "remove --topic t --yes"):
            said = acls(line, code=1)
            assert "SECURITY_DISABLED" in said
            assert "authorizer.class.name" in said


def test_who_may_not_change_acls_is_told_so(capsys: pytest.CaptureFixture[str]) -> None:
    with RunningServer(Settings.of(ON | {"super.users": ""})) as running:
        said = Command(running.address, capsys)("add --allow-principal User:a --topic t", code=1)
    assert "CLUSTER_AUTHORIZATION_FAILED" in said
    assert "ALTER" in said
