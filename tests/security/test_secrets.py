"""Secrets of the operator do not come out: not by --print-config, not by DescribeConfigs, not in reprs and errors."""

from __future__ import annotations

from pathlib import Path

import pytest

from muster.cli.main import main
from muster.server.settings import Settings
from muster.topics.config_types import ConfigError
from muster.wire.generated.describe_configs import DescribeConfigsRequest, DescribeConfigsRequestResource
from tests.security.raw_sasl import RawSaslClient
from tests.security.secure_server import SecureServer

SECRET = "open-sesame-7"
NAMES = ("ssl.key.password", "listener.name.ssl.ssl.key.password")


def test_print_config_shows_that_a_secret_is_set_and_not_what_it_is(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("MUSTER_SSL_KEY_PASSWORD", SECRET)
    monkeypatch.setenv("MUSTER_LISTENER_NAME_SSL_SSL_KEY_PASSWORD", SECRET)
    assert main(["serve", "--print-config", "--listen", "SSL://127.0.0.1:0"]) == 0
    shown = capsys.readouterr().out
    assert "ssl.key.password = [hidden]  # variable MUSTER_SSL_KEY_PASSWORD" in shown
    assert "listener.name.ssl.ssl.key.password = [hidden]" in shown
    assert "ssl.keystore.key =   # default" in shown
    assert SECRET not in shown


def test_describe_configs_says_sensitive_and_nothing_more(tmp_path: Path) -> None:
    """Kafka: a sensitive value is null, in its synonyms too."""
    with (
        SecureServer(tmp_path, dict.fromkeys(NAMES, SECRET)) as server,
        RawSaslClient(server.port("PLAINTEXT")) as client,
    ):
        request = DescribeConfigsRequest([DescribeConfigsRequestResource(4, "1", None)], include_synonyms=True)
        reply = client.ask("DescribeConfigs", 4, request)
        assert SECRET not in repr(reply)
        shown = {each.name: each for each in reply.results[0].configs}
        for name in NAMES:
            assert (shown[name].value, shown[name].is_sensitive) == (None, True)
            assert {each.value for each in shown[name].synonyms} == {None}
        assert shown["ssl.keystore.location"].value == server.certificate.keystore


def test_a_secret_in_the_wrong_place_is_not_repeated(tmp_path: Path) -> None:
    file = tmp_path / "muster.toml"
    file.write_text(f'[ssl]\n"key.passwort" = "{SECRET}"\n')
    from muster.server.setting_sources import from_file
    from muster.server.settings import resolve

    with pytest.raises(ConfigError) as caught:
        resolve(from_file(str(file)))
    assert SECRET not in str(caught.value)


def test_settings_do_not_print_what_they_hold() -> None:
    settings = Settings.of({"ssl.key.password": SECRET})
    assert SECRET not in repr(settings) + repr(settings.for_listener("PLAINTEXT"))
    assert settings.string("ssl.key.password") == SECRET
