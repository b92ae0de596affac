"""The settings of listeners: where to listen, TLS, SASL. Names and meanings are Kafka's, but for those under `muster.`.

Part of the table in `setting_keys.py`. Those in `PER_LISTENER` may be set for one listener alone, as Kafka writes it:
`listener.name.<name in small letters>.<setting>`.
"""

from __future__ import annotations

from typing import Final

from muster.security.sasl import MECHANISMS
from muster.server.limit_keys import DOOR_KEYS
from muster.topics.config_types import ConfigKey, ConfigType, Rule, at_least, list_of, non_empty, one_of

_STRING, _INT, _LONG, _LIST, _PASSWORD = (
    ConfigType.STRING,
    ConfigType.INT,
    ConfigType.LONG,
    ConfigType.LIST,
    ConfigType.PASSWORD,
)
_ONLY_PEM = Rule(
    lambda value: str(value).upper() == "PEM",
    "only PEM is supported; other stores can be turned into PEM with keytool and openssl",
    "[PEM]",
)

ADDRESS_KEYS: Final = (
    ConfigKey(
        "listeners",
        _LIST,
        ("127.0.0.1:9092",),
        "Where to listen: NAME://HOST:PORT, several with commas; HOST:PORT alone is a PLAINTEXT listener. Port 0 takes a"
        " free one.",
        non_empty(),
    ),
    ConfigKey(
        "advertised.listeners",
        _LIST,
        (),
        "What clients of each listener are told to connect to: NAME://HOST:PORT; empty: where it listens.",
    ),
    ConfigKey(
        "listener.security.protocol.map",
        _LIST,
        ("PLAINTEXT:PLAINTEXT", "SSL:SSL", "SASL_PLAINTEXT:SASL_PLAINTEXT", "SASL_SSL:SASL_SSL"),
        "The protocol of each listener name: NAME:PROTOCOL.",
    ),
)

TLS_KEYS: Final = (
    ConfigKey("ssl.keystore.type", _STRING, "PEM", "The kind of ssl.keystore.location.", _ONLY_PEM),
    ConfigKey(
        "ssl.keystore.location", _STRING, "", "A PEM file with the server's certificate chain and its private key."
    ),
    ConfigKey("ssl.keystore.certificate.chain", _STRING, "", "The certificate chain as PEM text, instead of a file."),
    ConfigKey("ssl.keystore.key", _PASSWORD, "", "The private key as PEM text, instead of a file."),
    ConfigKey("ssl.key.password", _PASSWORD, "", "What opens the private key, if it is encrypted."),
    ConfigKey("ssl.truststore.type", _STRING, "PEM", "The kind of ssl.truststore.location.", _ONLY_PEM),
    ConfigKey("ssl.truststore.location", _STRING, "", "A PEM file with the authorities that sign clients."),
    ConfigKey("ssl.truststore.certificates", _STRING, "", "The authorities as PEM text, instead of a file."),
    ConfigKey(
        "ssl.client.auth",
        _STRING,
        "none",
        "Whether clients show a certificate. As in Kafka, a SASL_SSL listener asks only if it is set for that listener.",
        one_of("none", "requested", "required"),
    ),
    ConfigKey(
        "ssl.enabled.protocols",
        _LIST,
        ("TLSv1.2", "TLSv1.3"),
        "The versions of TLS that are spoken.",
        list_of("TLSv1.2", "TLSv1.3"),
    ),
    # Deviates: names are OpenSSL's, not Java's, and the suites of TLS 1.3 cannot be chosen.
    ConfigKey(
        "ssl.cipher.suites", _LIST, (), "The cipher suites of TLS 1.2, by OpenSSL's names; empty: OpenSSL's own."
    ),
    ConfigKey(
        "ssl.principal.mapping.rules",
        _STRING,
        "DEFAULT",
        "How the subject of a client's certificate becomes a user name: DEFAULT, or RULE:pattern/replacement/[LU], in order.",
    ),
)

SASL_KEYS: Final = (
    # Deviates: Kafka's default is GSSAPI, which is not built.
    ConfigKey(
        "sasl.enabled.mechanisms",
        _LIST,
        ("SCRAM-SHA-256", "SCRAM-SHA-512"),
        "The SASL mechanisms that clients may use.",
        list_of(*MECHANISMS),
    ),
    ConfigKey(
        "connections.max.reauth.ms",
        _LONG,
        0,
        "How long an authentication counts; a client has to do it again before that. 0: for as long as it is connected.",
    ),
    ConfigKey(
        "sasl.oauthbearer.jwks.endpoint.url",
        _STRING,
        "",
        "The keys that sign tokens: file:///PATH of a JSON Web Key Set. It is read again when it changes.",
    ),
    ConfigKey(
        "sasl.oauthbearer.expected.audience", _LIST, (), "Of these audiences a token must have one; empty: any will do."
    ),
    ConfigKey(
        "sasl.oauthbearer.expected.issuer", _STRING, "", "The issuer that a token must have; empty: any will do."
    ),
    ConfigKey(
        "sasl.oauthbearer.clock.skew.seconds",
        _INT,
        30,
        "By how much the clocks of issuer and server may differ.",
        at_least(0),
    ),
    ConfigKey("sasl.oauthbearer.scope.claim.name", _STRING, "scope", "The claim that holds the scope.", non_empty()),
    ConfigKey("sasl.oauthbearer.sub.claim.name", _STRING, "sub", "The claim that holds the user name.", non_empty()),
)

NEWCOMER_KEYS: Final = (
    ConfigKey(
        "connection.failed.authentication.delay.ms",
        _INT,
        100,
        "How long the answer to a failed authentication is kept back.",
        at_least(0),
    ),
    ConfigKey(
        "sasl.server.max.receive.size",
        _INT,
        524_288,
        "The largest request that is read from somebody who is not authenticated.",
        at_least(1),
    ),
    ConfigKey(
        "muster.authentication.timeout.ms",
        _LONG,
        30_000,
        "How long a client may take for its TLS handshake and SASL authentication together.",
        at_least(1),
    ),
    ConfigKey(
        "muster.authentication.max.per.address",
        _INT,
        256,
        "How many connections from one address may be on their way through TLS handshake and SASL; one more ends the oldest.",
        at_least(1),
    ),
    ConfigKey(
        "muster.authentication.max",
        _INT,
        8_192,
        "How many connections in all may be on that way; one more ends the oldest.",
        at_least(1),
    ),
    ConfigKey(
        "muster.ssl.watch.interval.ms",
        _LONG,
        5_000,
        "How often the files of certificates and token keys are looked at for changes; 0: only on SIGHUP.",
        at_least(0),
    ),
)

_BETWEEN_BROKERS = (
    "Accepted so that Kafka's files can be used; it has no effect: nodes know each other by a secret in their store."
)
BETWEEN_BROKERS_KEYS: Final = (
    ConfigKey(
        "inter.broker.listener.name",
        _STRING,
        None,
        "The listener through which nodes of a cluster talk to each other, at the address that it advertises; not set: the"
        " first one.",
    ),
    ConfigKey("security.inter.broker.protocol", _STRING, "PLAINTEXT", _BETWEEN_BROKERS),
    ConfigKey("sasl.mechanism.inter.broker.protocol", _STRING, "GSSAPI", _BETWEEN_BROKERS),
    ConfigKey("ssl.endpoint.identification.algorithm", _STRING, "https", _BETWEEN_BROKERS),
)

LISTENER_KEYS: Final = (*ADDRESS_KEYS, *TLS_KEYS, *SASL_KEYS, *NEWCOMER_KEYS, *BETWEEN_BROKERS_KEYS)
PER_LISTENER: Final = {key.name: key for key in (*TLS_KEYS, *SASL_KEYS, *DOOR_KEYS)}
PREFIX: Final = "listener.name."


def split_name(name: str) -> tuple[str, str] | None:
    """(listener, setting) of `listener.name.<listener>.<setting>`; None if it is not such a name."""
    if not name.startswith(PREFIX):
        return None
    listener, _, setting = name.removeprefix(PREFIX).partition(".")
    return listener.lower(), setting


def full_name(listener: str, setting: str) -> str:
    return f"{PREFIX}{listener.lower()}.{setting}"
