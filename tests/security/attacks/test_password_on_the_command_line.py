"""A database's password on the command line can be read by every user of the machine: it is refused, and not repeated."""

from __future__ import annotations

import pytest

from muster.cli.main import main

SECRETS = (
    "postgresql://muster:hunter2@db.example/muster",
    "postgresql://muster:hunter2@a:1,b:2/muster",
    "postgres://muster@db.example/muster?sslmode=require&password=hunter2",
    "postgresql:///muster?sslpassword=hunter2",
)


@pytest.mark.parametrize("url", SECRETS)
@pytest.mark.parametrize(
    "command",
    [
        ["serve", "--print-config", "--store"],
        ["store", "status"],
        ["cluster", "status"],
        ["users", "list", "--store"],
    ],
)
def test_it_is_refused_with_what_to_do_instead(
    command: list[str], url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*command, url]) == 2
    said = capsys.readouterr()
    assert "PGPASSFILE" in said.err
    assert "hunter2" not in said.err + said.out


def test_an_address_without_a_password_is_taken(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["serve", "--print-config", "--store", "postgresql://muster@[::1]:5432/muster"]) == 0
    assert "muster.store = [hidden]  # flag --store" in capsys.readouterr().out


def test_a_password_from_the_environment_is_taken_and_never_shown(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("MUSTER_STORE", SECRETS[0])
    assert main(["serve", "--print-config"]) == 0
    assert "hunter2" not in capsys.readouterr().out
