"""The flags that lead to a cluster: TLS and SASL at a real server, what wins over what, and what is refused."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

import pytest

from muster.cli.support.connection_flags import add_connection_arguments, security_of
from muster.client.failure import ClientError
from muster.client.security import Security
from tests.cli.command import Told, muster, terminal
from tests.client.test_client_security import PASSWORD, Scene
from tests.listeners import address_of


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    made = Scene(tmp_path_factory.mktemp("certificates"))
    made.start()
    yield made
    made.server.stop()


def list_topics(scene: Scene, listener: str, *flags: str) -> Told:
    return muster("topics", "list", *flags, bootstrap=address_of(scene.server, listener))


def parsed(*flags: str) -> Security:
    parser = argparse.ArgumentParser()
    add_connection_arguments(parser)
    return security_of(parser.parse_args(flags))


@pytest.fixture
def password_file(tmp_path: Path) -> str:
    file = tmp_path / "password"
    file.write_text(f"{PASSWORD}\n")
    return str(file)


# ---- at a server


def test_tls_by_the_authority_alone(scene: Scene) -> None:
    assert list_topics(scene, "TLS", "--ca", scene.authority.file).done().err == "no topics\n"
    assert "certificate is not trusted" in list_topics(scene, "TLS", "--ca", scene.stranger.file).refused(1)


def test_a_certificate_of_ones_own(scene: Scene) -> None:
    own = ("--cert", scene.client.certificate_file, "--key", scene.client.key_file)
    list_topics(scene, "MUTUAL", "--ca", scene.authority.file, *own).done()
    assert list_topics(scene, "MUTUAL", "--ca", scene.authority.file).code == 1


def test_a_user_with_a_password_from_a_file_or_a_variable(
    scene: Scene, password_file: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    who = ("--ca", scene.authority.file, "--user", "ada")
    list_topics(scene, "BOTH", *who, "--sasl-password-file", password_file).done()
    monkeypatch.setenv("ADAS_PASSWORD", PASSWORD)
    list_topics(scene, "BOTH", *who, "--sasl-password-env", "ADAS_PASSWORD", "--sasl-mechanism", "scram-sha-256").done()
    monkeypatch.setenv("ADAS_PASSWORD", "wrong")
    why = list_topics(scene, "BOTH", *who, "--sasl-password-env", "ADAS_PASSWORD").refused(1)
    assert "SASL_AUTHENTICATION_FAILED" in why
    assert "Check user name and password" in why


def test_properties_of_kafkas_tools(scene: Scene, tmp_path: Path) -> None:
    file = tmp_path / "client.properties"
    login = f'org.apache.kafka.common.security.scram.ScramLoginModule required username="ada" password="{PASSWORD}";'
    file.write_text(f"security.protocol=SASL_PLAINTEXT\nsasl.mechanism=SCRAM-SHA-512\nsasl.jaas.config={login}\n")
    list_topics(scene, "WORDS", "--command-config", str(file)).done()


def test_a_password_is_asked_for_on_the_terminal(scene: Scene) -> None:
    flags = ("--security-protocol", "SASL_PLAINTEXT", "--user", "ada")
    with terminal("topics", "list", *flags, bootstrap=address_of(scene.server, "WORDS")) as asked:
        asked.until("Password for ada: ")
        asked.type(f"{PASSWORD}\n")
        assert asked.ended() == 0
    assert PASSWORD not in asked.shown
    assert "no topics" in asked.shown


# ---- what the flags mean


def test_without_flags_it_is_plain_text() -> None:
    assert parsed() == Security()


def test_flags_ask_for_what_they_need(password_file: str) -> None:
    assert parsed("--ca", "ca.pem").protocol == "SSL"
    login = parsed("--user", "ada", "--sasl-password-file", password_file)
    assert (login.protocol, login.mechanism, login.password) == ("SASL_SSL", "SCRAM-SHA-512", PASSWORD)
    assert parsed("--sasl-token-file", "token").mechanism == "OAUTHBEARER"


def test_flags_win_over_the_file(tmp_path: Path, password_file: str) -> None:
    file = tmp_path / "client.properties"
    file.write_text(
        "security.protocol=SASL_SSL\nssl.ca.location=old.pem\nssl.truststore.location=older.pem\nsasl.mechanism=PLAIN\n"
        'sasl.jaas.config=x required username="bob" password="no";\n'
    )
    assert parsed("--command-config", str(file)).username == "bob"
    flags = ("--ca", "new.pem", "--user", "ada", "--sasl-password-file", password_file)
    found = parsed("--command-config", str(file), *flags)
    assert (found.ca_file, found.username, found.password, found.mechanism) == ("new.pem", "ada", PASSWORD, "PLAIN")


@pytest.mark.parametrize(
    ("flags", "why"),
    [
        (("--security-protocol", "PLAINTEXT", "--ca", "ca.pem"), "--ca is of no use with security.protocol PLAINTEXT"),
        (("--security-protocol", "SSL", "--user", "ada"), "--user is of no use with security.protocol SSL"),
        (("--user", "ada", "--sasl-password-env", "NOT_SET"), "there is no variable NOT_SET"),
        (("--user", "ada", "--sasl-password-file", "/nowhere"), "--sasl-password-file /nowhere: No such file"),
        (("--user", "a", "--sasl-password-file", "x", "--sasl-password-env", "y"), "Choose one of them"),
        (("--sasl-mechanism", "PLAIN"), "has no user or password"),
        (("--command-config", "/nowhere"), "read /nowhere"),
    ],
)
def test_what_cannot_be_is_refused(flags: tuple[str, ...], why: str) -> None:
    with pytest.raises(ClientError, match=why):
        parsed(*flags)


def test_a_refused_flag_is_a_matter_of_usage() -> None:
    assert "there is no variable NOT_SET" in muster(
        "topics", "list", "--user", "ada", "--sasl-password-env", "NOT_SET", bootstrap="127.0.0.1:1"
    ).refused(2)
