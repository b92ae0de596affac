"""`muster users`: on a data directory and through a running server; where passwords come from, and where they never go."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from muster.cli.exit_codes import DONE, FAILED, USAGE
from muster.cli.main import main
from muster.log.files import FileStore
from muster.security.users import Users
from tests.security.secure_server import PASSWORDS, SecureServer


@pytest.fixture
def data(tmp_path: Path) -> str:
    return str(tmp_path / "data")


@pytest.fixture
def typed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A password on standard input."""
    monkeypatch.setattr("sys.stdin", io.StringIO("open sesame\n"))


def kept(data: str) -> Users:
    store = FileStore(data)
    users = Users(store)
    users.load()
    store.close()
    return users


@pytest.mark.usefixtures("typed")
def test_the_first_user_is_added_to_a_directory_before_there_is_a_server(
    data: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["users", "add", "admin", "--data", data]) == DONE
    assert capsys.readouterr().out == "admin may come in with SCRAM-SHA-256, SCRAM-SHA-512\n"
    assert kept(data).is_password_of("admin", "open sesame")


def test_a_password_comes_from_a_file_or_a_variable(data: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    secret = tmp_path / "secret"
    secret.write_text("from a file\r\nsecond line\n")
    monkeypatch.setenv("ALICES_PASSWORD", "from a variable")
    assert main(["users", "add", "bob", "--data", data, "--password-file", str(secret), "--iterations", "8192"]) == DONE
    one = ["--mechanism", "SCRAM-SHA-512", "--password-env", "ALICES_PASSWORD"]
    assert main(["users", "add", "alice", "--data", data, *one]) == DONE
    users = kept(data)
    assert users.is_password_of("bob", "from a file")
    assert users.is_password_of("alice", "from a variable")
    assert list(users.mechanisms_of("alice") or ()) == ["SCRAM-SHA-512"]


@pytest.mark.parametrize(
    ("answers", "code", "said"),
    [
        (["twice", "twice"], DONE, ""),
        (["once", "other"], USAGE, "the two are different"),
        (["", ""], USAGE, "is empty"),
    ],
)
def test_at_a_terminal_the_password_is_asked_for_twice(
    data: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    answers: list[str],
    code: int,
    said: str,
) -> None:
    terminal = io.StringIO()
    monkeypatch.setattr(terminal, "isatty", lambda: True)
    monkeypatch.setattr("sys.stdin", terminal)
    given = iter(answers)
    monkeypatch.setattr("getpass.getpass", lambda _: next(given))
    assert main(["users", "add", "alice", "--data", data]) == code
    assert said in capsys.readouterr().err


@pytest.mark.usefixtures("typed")
def test_users_are_listed_and_removed(data: str, capsys: pytest.CaptureFixture[str]) -> None:
    main(["users", "add", "alice", "--data", data])
    capsys.readouterr()
    assert main(["users", "remove", "alice", "--data", data, "--mechanism", "SCRAM-SHA-256"]) == DONE
    capsys.readouterr()
    assert main(["users", "list", "--data", data]) == DONE
    assert capsys.readouterr().out == "USER   MECHANISMS (ITERATIONS)\nalice  SCRAM-SHA-512 (4096)\n"
    assert main(["users", "list", "--data", data, "--json"]) == DONE
    assert capsys.readouterr().out == '{"user": "alice", "mechanisms": {"SCRAM-SHA-512": 4096}}\n'
    assert main(["users", "remove", "alice", "--data", data]) == DONE
    assert main(["users", "remove", "alice", "--data", data]) == FAILED
    assert "there is no user alice" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["add", "a", "--data", "d", "--bootstrap", "h:1"], USAGE, "choose one of them"),
        (["add", " ", "--data", "d"], USAGE, "needs a name"),
        (["add", "a", "--data", "d", "--iterations", "100000"], USAGE, "it must be 4096 to 16384"),
        (["add", "a", "--data", "d", "--password-file", "/nowhere"], USAGE, "/nowhere: cannot be read"),
        (["add", "a", "--data", "d", "--password-env", "NOT_SET"], USAGE, "there is no such variable"),
        (["list", "--data", "nowhere"], FAILED, "there is no such data directory"),
        (["list", "--bootstrap", "127.0.0.1:1"], FAILED, "127.0.0.1:1"),
    ],
)
def test_what_cannot_be_is_refused_with_what_to_do(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    code: int,
    said: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["users", *arguments]) == code
    assert said in capsys.readouterr().err


@pytest.mark.usefixtures("typed")
def test_a_directory_in_use_is_refused_and_the_way_to_its_server_named(
    data: str, capsys: pytest.CaptureFixture[str]
) -> None:
    store = FileStore(data)
    try:
        assert main(["users", "add", "alice", "--data", data]) == FAILED
    finally:
        store.close()
    said = capsys.readouterr().err
    assert "in use by process" in said
    assert "--bootstrap" in said


@pytest.mark.usefixtures("typed")
def test_users_of_a_running_server_are_changed_through_a_secured_listener(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with SecureServer(tmp_path) as server:
        properties = tmp_path / "admin.properties"
        properties.write_text(
            f"security.protocol=SASL_SSL\nssl.ca.location={server.authority.file}\nsasl.mechanism=SCRAM-SHA-512\n"
            f"sasl.username=alice\nsasl.password={PASSWORDS['alice']}\n"
        )
        there = ["--bootstrap", server.address("SASL_SSL"), "--command-config", str(properties)]
        assert main(["users", "add", "eve", *there]) == DONE
        assert server.running.run(lambda: server.running.node.users.is_password_of("eve", "open sesame"))
        assert main(["users", "remove", "bob", *there]) == DONE
        capsys.readouterr()
        assert main(["users", "list", *there]) == DONE
        assert [line.split()[0] for line in capsys.readouterr().out.splitlines()[1:]] == ["alice", "eve"]
        properties.write_text(properties.read_text().replace(PASSWORDS["alice"], "not-the-password"))
        assert main(["users", "list", *there]) == FAILED
        said = capsys.readouterr().err
        assert "SASL_AUTHENTICATION_FAILED" in said
        assert "not-the-password" not in said
