"""listeners, advertised.listeners, listener.security.protocol.map and settings for one listener: Kafka's forms, clear refusals."""

from __future__ import annotations

import pytest

from muster.server.endpoint import Endpoint
from muster.server.listener_addresses import ListenerAddress, SecurityProtocol
from muster.server.setting_sources import from_assignments, from_environment
from muster.server.settings import Settings, resolve
from muster.topics.config_types import ConfigError

PLAINTEXT, SSL, SASL_SSL = SecurityProtocol.PLAINTEXT, SecurityProtocol.SSL, SecurityProtocol.SASL_SSL


def listeners(**texts: str) -> tuple[ListenerAddress, ...]:
    return Settings.of({name.replace("_", "."): text for name, text in texts.items()}).listeners


def refusal(*assignments: str) -> str:
    with pytest.raises(ConfigError) as caught:
        resolve(from_assignments("--set", assignments))
    return str(caught.value)


def test_an_address_alone_is_a_plain_listener() -> None:
    assert listeners(listeners="h:1") == (ListenerAddress("PLAINTEXT", PLAINTEXT, Endpoint("h", 1)),)
    assert listeners() == (ListenerAddress("PLAINTEXT", PLAINTEXT, Endpoint("127.0.0.1", 9092)),)


def test_kafkas_form_has_a_name_for_each_and_names_are_not_case_sensitive() -> None:
    assert listeners(listeners=" plaintext://:9092 , SSL://[::1]:9093,sasl_ssl://h:0") == (
        ListenerAddress("PLAINTEXT", PLAINTEXT, Endpoint("", 9092)),
        ListenerAddress("SSL", SSL, Endpoint("::1", 9093)),
        ListenerAddress("SASL_SSL", SASL_SSL, Endpoint("h", 0)),
    )


def test_own_names_have_the_protocol_that_the_map_says() -> None:
    found = listeners(
        listeners="INTERNAL://:9092,OUTSIDE://:9093",
        advertised_listeners="OUTSIDE://kafka.example:443",
        listener_security_protocol_map="INTERNAL:PLAINTEXT,OUTSIDE:SASL_SSL",
    )
    assert [(each.name, each.protocol, each.advertised) for each in found] == [
        ("INTERNAL", PLAINTEXT, None),
        ("OUTSIDE", SASL_SSL, Endpoint("kafka.example", 443)),
    ]


def test_the_only_listener_may_be_advertised_without_its_name() -> None:
    (found,) = listeners(listeners="SSL://:9093", advertised_listeners="kafka.example:443")
    assert found.advertised == Endpoint("kafka.example", 443)


@pytest.mark.parametrize(
    ("assignments", "words"),
    [
        (("listeners=",), "must not be empty"),
        (("listeners=h",), "Invalid value h for configuration listeners: expected HOST:PORT"),
        (("listeners=SSL://h:x",), "Invalid value SSL://h:x for configuration listeners: expected HOST:PORT"),
        (("listeners=WEB://h:1",), "listener.security.protocol.map does not say its protocol"),
        (("listeners=a b://h:1",), "letters, digits"),
        (("listeners=h:1,h:2",), "a name of its own"),
        (("listeners=SSL://h:1,PLAINTEXT://h:1",), "a port of its own"),
        (("advertised.listeners=SSL://h:1",), "no listener of that name, only PLAINTEXT"),
        (("listeners=SSL://:1,PLAINTEXT://:2", "advertised.listeners=SSL://h:1,SSL://h:2"), "named twice"),
        (("advertised.listeners=0.0.0.0:1",), "clients cannot connect to that"),
        (("listener.security.protocol.map=A",), "expected NAME:PROTOCOL"),
        (("listener.security.protocol.map=A:TLS",), "the protocols are PLAINTEXT, SSL"),
        (("ssl.client.auth=maybe",), "none, requested, required"),
        (("ssl.keystore.type=JKS",), "only PEM is supported"),
        (("sasl.enabled.mechanisms=GSSAPI",), "PLAIN, SCRAM-SHA-256"),
        (("ssl.enabled.protocols=TLSv1.1",), "TLSv1.2, TLSv1.3"),
    ],
)
def test_what_cannot_be_is_refused_with_setting_and_reason(assignments: tuple[str, ...], words: str) -> None:
    message = refusal(*assignments)
    assert words in message
    assert message.startswith("flag --set: ")


def test_a_setting_may_be_for_one_listener_alone() -> None:
    """Kafka: listener.name.<name in small letters>.<setting>."""
    settings = Settings.of(
        {
            "listeners": "INSIDE://:1,OUTSIDE://:2",
            "listener.security.protocol.map": "INSIDE:SSL,OUTSIDE:SASL_SSL",
            "ssl.client.auth": "required",
            "listener.name.OUTSIDE.ssl.client.auth": "none",
            "listener.name.outside.sasl.enabled.mechanisms": "PLAIN",
        }
    )
    inside, outside = settings.for_listener("INSIDE"), settings.for_listener("OUTSIDE")
    assert (inside.string("ssl.client.auth"), outside.string("ssl.client.auth")) == ("required", "none")
    assert outside.words("sasl.enabled.mechanisms") == ("PLAIN",)
    assert outside.is_own("ssl.client.auth")
    assert not inside.is_own("ssl.client.auth")
    assert settings.names_for_one_listener() == [
        "listener.name.outside.sasl.enabled.mechanisms",
        "listener.name.outside.ssl.client.auth",
    ]


def test_a_variable_may_be_for_one_listener_alone() -> None:
    settings = resolve(
        from_environment(
            {
                "MUSTER_LISTENERS": "IN_SIDE://:1",
                "MUSTER_LISTENER_SECURITY_PROTOCOL_MAP": "IN_SIDE:SSL",
                "MUSTER_LISTENER_NAME_IN_SIDE_SSL_KEY_PASSWORD": "geheim",
                "MUSTER_BOOTSTRAP": "for other commands",
            }
        )
    )
    assert settings.for_listener("IN_SIDE").string("ssl.key.password") == "geheim"
    assert settings.text("listener.name.in_side.ssl.key.password") == "[hidden]"


@pytest.mark.parametrize(
    ("assignment", "words"),
    [
        ("listener.name.plaintext.ssl.client.aut=none", "did you mean listener.name.plaintext.ssl.client.auth?"),
        ("listener.name.plaintext.group.max.size=1", "cannot be set for one listener"),
        ("listener.name.plaintext=1", "nothing cannot be set"),
        ("listener.name.web.ssl.client.auth=none", "there is no listener web, only plaintext"),
        ("listener.name.plaintext.ssl.client.auth=maybe", "none, requested, required"),
    ],
)
def test_a_setting_for_one_listener_that_cannot_be_is_refused(assignment: str, words: str) -> None:
    assert words in refusal(assignment)


@pytest.mark.parametrize("name", ["ssl.key.password", "ssl.keystore.key", "listener.name.ssl.ssl.key.password"])
def test_a_secret_on_the_command_line_is_refused_and_not_repeated(name: str) -> None:
    message = refusal(f"{name}=geheim")
    assert "can be seen by every user" in message
    assert "MUSTER_" in message
    assert "geheim" not in message
