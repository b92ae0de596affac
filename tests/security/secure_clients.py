"""The three client libraries with security: each says what it needs, and tells in the same words how it went.

`visit` returns "" if the client could list topics, else everything it said about why not.
"""

from __future__ import annotations

import asyncio
import logging
import time
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

from aiokafka import AIOKafkaConsumer, AIOKafkaProducer
from aiokafka.abc import AbstractTokenProvider as AiokafkaTokens
from aiokafka.admin import AIOKafkaAdminClient
from aiokafka.conn import AIOKafkaConnection, CloseReason
from aiokafka.errors import KafkaError as AiokafkaError
from aiokafka.helpers import create_ssl_context
from confluent_kafka import Consumer, KafkaException, Producer

from tests.interop.kafka_python import KafkaAdminClient, KafkaConsumer, KafkaProducer, errors
from tests.security.certificates import Issued
from tests.security.secure_server import PASSWORDS

PATIENCE_SECONDS = 60
BOOTSTRAP_SECONDS = (0.5, 4, PATIENCE_SECONDS)
"""kafka-python tries a wrong password again and again until its time is over; more of it only where it was too short to try."""
REFUSALS = ("SaslAuthenticationFailedError", "[SSL: ")
"""What kafka-python says if it was told no, or said no itself. Everything else that it calls a failure comes of too little time."""


@dataclass(frozen=True)
class Way:
    """How to come in."""

    address: str
    protocol: str
    mechanism: str = ""
    name: str = "alice"
    password: str = PASSWORDS["alice"]
    token: str = ""
    authority: str = ""
    certificate: Issued | None = None


class SecureClient(ABC):
    library: str

    @abstractmethod
    def visit(self, way: Way) -> str: ...

    @abstractmethod
    def round_trip(self, way: Way, topic: str) -> bytes:
        """Produce one record, and consume it as a member of a group."""


class Confluent(SecureClient):
    library = "confluent-kafka"

    def visit(self, way: Way) -> str:
        said: list[str] = []
        producer = Producer(
            {**self._settings(way), "error_cb": lambda error: said.append(f"{error.name()} {error.str()}")}
        )
        until = time.monotonic() + PATIENCE_SECONDS
        while not said and time.monotonic() < until:
            producer.poll(0.01)
            try:
                producer.list_topics(timeout=0.2)
                return ""
            except KafkaException:
                continue  # the callback says why
        return " ".join(said) or "nothing was said"

    def round_trip(self, way: Way, topic: str) -> bytes:
        producer = Producer(self._settings(way))
        producer.produce(topic, b"confluent")
        assert producer.flush(PATIENCE_SECONDS) == 0
        group = {"group.id": f"{topic}-group", "auto.offset.reset": "earliest", "enable.auto.commit": False}
        consumer = Consumer({**self._settings(way), **group})
        consumer.subscribe([topic])
        try:
            while True:
                message = consumer.poll(PATIENCE_SECONDS)
                assert message is not None
                if message.error() is None:
                    consumer.commit(asynchronous=False)
                    return bytes(message.value())
        finally:
            consumer.close()

    def _settings(self, way: Way) -> dict[str, Any]:
        settings: dict[str, Any] = {
            "bootstrap.servers": way.address,
            "security.protocol": way.protocol,
            "logger": logging.getLogger("rdkafka"),
        }
        if way.authority:
            settings["ssl.ca.location"] = way.authority
        if way.certificate is not None:
            settings["ssl.certificate.location"] = way.certificate.certificate_file
            settings["ssl.key.location"] = way.certificate.key_file
        if way.mechanism == "OAUTHBEARER":
            settings |= {"sasl.mechanism": way.mechanism, "oauth_cb": lambda _: (way.token, time.time() + 60)}
        elif way.mechanism:
            settings |= {"sasl.mechanism": way.mechanism, "sasl.username": way.name, "sasl.password": way.password}
        return settings


_close = AIOKafkaConnection.close


def _close_at_once_if_refused(self: Any, reason: Any = None, exc: Any = None) -> Any:
    """The server takes its time to part from whom it refused, and aiokafka waits for no end: its loop would be gone before, and
    whichever test runs when the socket is collected would be blamed."""
    writer = self._writer
    closed = _close(self, reason, exc)
    if writer is not None and reason is CloseReason.AUTH_FAILURE:
        writer.transport.abort()
    return closed


AIOKafkaConnection.close = _close_at_once_if_refused


class Aiokafka(SecureClient):
    library = "aiokafka"

    def visit(self, way: Way) -> str:
        return asyncio.run(self._visit(way))

    async def _visit(self, way: Way) -> str:
        said = _Listening("aiokafka")
        with said:
            admin = AIOKafkaAdminClient(**self._settings(way))
            try:
                await admin.start()
                await admin.list_topics()
                return ""
            except (AiokafkaError, OSError) as error:
                return f"{error!r} {said.text}"
            finally:
                await admin.close()

    def round_trip(self, way: Way, topic: str) -> bytes:
        return asyncio.run(self._round_trip(way, topic))

    async def _round_trip(self, way: Way, topic: str) -> bytes:
        async with AIOKafkaProducer(**self._settings(way)) as producer:
            await producer.send_and_wait(topic, b"aiokafka")
        group = {"group_id": f"{topic}-group", "auto_offset_reset": "earliest", "enable_auto_commit": False}
        async with AIOKafkaConsumer(topic, **group, **self._settings(way)) as consumer:
            message = await asyncio.wait_for(consumer.getone(), PATIENCE_SECONDS)
            await consumer.commit()
            return bytes(message.value)

    def _settings(self, way: Way) -> dict[str, Any]:
        settings: dict[str, Any] = {"bootstrap_servers": way.address, "security_protocol": way.protocol}
        if "SSL" in way.protocol:
            files = (way.certificate.certificate_file, way.certificate.key_file) if way.certificate else (None, None)
            settings["ssl_context"] = create_ssl_context(cafile=way.authority, certfile=files[0], keyfile=files[1])
        if way.mechanism == "OAUTHBEARER":

            class Tokens(AiokafkaTokens):  # type: ignore[misc]
                async def token(self) -> str:
                    return way.token

            settings |= {"sasl_mechanism": way.mechanism, "sasl_oauth_token_provider": Tokens()}
        elif way.mechanism:
            settings |= _plain_names(way)
        return settings


class _Admin(KafkaAdminClient):  # type: ignore[misc]
    """One that could not connect says of itself that it is closed, and leaves a thread with its sockets behind."""

    _closed = False

    def __init__(self, **settings: Any) -> None:
        try:
            super().__init__(**settings)
        except BaseException:
            self.close()
            raise


class KafkaPython(SecureClient):
    library = "kafka-python"

    def visit(self, way: Way) -> str:
        for seconds in BOOTSTRAP_SECONDS:
            said = self._visit_for(way, seconds)
            if not said or any(refusal in said for refusal in REFUSALS):
                break
        return said

    def _visit_for(self, way: Way, seconds: float) -> str:
        with _Listening("kafka") as said:
            try:
                admin = _Admin(**self._settings(way), bootstrap_timeout_ms=seconds * 1000)
            except (errors.KafkaError, OSError) as error:
                return f"{error!r} {said.text}"
            try:
                admin.list_topics()
                return ""
            finally:
                admin.close()

    def round_trip(self, way: Way, topic: str) -> bytes:
        producer = KafkaProducer(**self._settings(way))
        producer.send(topic, b"kafka-python").get(timeout=PATIENCE_SECONDS)
        producer.close()
        group = {"group_id": f"{topic}-group", "auto_offset_reset": "earliest", "enable_auto_commit": False}
        consumer = KafkaConsumer(topic, **group, **self._settings(way), consumer_timeout_ms=PATIENCE_SECONDS * 1000)
        try:
            message = next(iter(consumer))
            consumer.commit()
            return bytes(message.value)
        finally:
            consumer.close()

    def _settings(self, way: Way) -> dict[str, Any]:
        settings: dict[str, Any] = {"bootstrap_servers": way.address, "security_protocol": way.protocol}
        if "SSL" in way.protocol:
            settings["ssl_cafile"] = way.authority
        if way.certificate is not None:
            settings |= {"ssl_certfile": way.certificate.certificate_file, "ssl_keyfile": way.certificate.key_file}
        if way.mechanism == "OAUTHBEARER":
            from kafka.net.sasl.oauth import AbstractTokenProvider  # after the import that quiets its warnings

            class Tokens(AbstractTokenProvider):  # type: ignore[misc]
                def token(self) -> str:
                    return way.token

            settings |= {"sasl_mechanism": way.mechanism, "sasl_oauth_token_provider": Tokens()}
        elif way.mechanism:
            settings |= _plain_names(way)
        return settings


def _plain_names(way: Way) -> dict[str, str]:
    return {"sasl_mechanism": way.mechanism, "sasl_plain_username": way.name, "sasl_plain_password": way.password}


class _Listening(logging.Handler):
    """What a library's loggers say meanwhile: two of the three tell only them why they could not connect.

    Nobody else hears it: pytest would keep what was logged, and with it what failed.
    """

    def __init__(self, logger: str) -> None:
        super().__init__()
        self._logger = logging.getLogger(logger)
        self._lines: list[str] = []

    @property
    def text(self) -> str:
        return " ".join(self._lines)

    def emit(self, record: logging.LogRecord) -> None:
        self._lines.append(record.getMessage())

    def __enter__(self) -> _Listening:
        self._logger.addHandler(self)
        self._logger.propagate = False
        return self

    def __exit__(self, *_: object) -> None:
        self._logger.removeHandler(self)
        self._logger.propagate = True


CLIENTS: tuple[SecureClient, ...] = (Confluent(), Aiokafka(), KafkaPython())
