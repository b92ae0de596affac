"""Plays one scenario against one broker and notes every answer, named.

Lines happen in order: after a request that must wait, and before it is said that somebody still waits, the broker is asked
other things on another connection until it must have handled everything sent before (`_barrier`). So no line sleeps.
Called by the runner and by the replay. Knows sockets only through `connection`.
"""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from tests.conformance.codec import Tree, api_named
from tests.conformance.connection import CLOSED, REPLY_SECONDS, Connection, NoAnswer, Pending
from tests.conformance.naming import Names
from tests.conformance.offsets_log import partition_of
from tests.conformance.script import Ask, Await, Close, Raw, Scenario, Script, Step
from tests.conformance.values import Group, Reference, plain, resolve
from tests.conformance.wire_faults import Faults, frame_of, read_faults
from tools.codecs.schema import Api

MEMBER_ID_REQUIRED: Final = 79
_ARITHMETIC: Final = re.compile(r"(.*?)(?:([+-])(\d+))?")
POLL_SECONDS: Final = 0.05
WAITS: Final = "waits"
ANSWERED_TOO_EARLY: Final = "answered_although_it_should_wait"
_SHORT_NAMES: Final = {
    "group": ("group_id",),
    "member": ("member_id",),
    "generation": ("generation_id", "generation_id_or_member_epoch"),
    "instance": ("group_instance_id", "instance_id"),
    "session": ("session_timeout_ms",),
    "rebalance": ("rebalance_timeout_ms",),
    "type": ("protocol_type",),
    "txn": ("transactional_id",),
    "producer": ("producer_id",),
    "epoch": ("producer_epoch", "member_epoch"),
    "topics": ("subscribed_topic_names",),
    "regex": ("subscribed_topic_regex",),
    "assignor": ("server_assignor",),
    "rack": ("rack_id",),
    "owned": ("topic_partitions",),
}


@dataclass(frozen=True)
class Broker:
    """Where to connect, and the ids of the topics that every script may use."""

    name: str
    host: str
    port: int
    topic_ids: Mapping[str, bytes]


@dataclass(frozen=True)
class Answer:
    """What one step got on one connection."""

    line: int
    step: str
    api: str
    got: Any


class _TheRestMakesNoSense(Exception):
    """A request was answered that should have waited: what follows would wait for what cannot come."""


class Player:
    def __init__(self, broker: Broker, script: Script, scenario: Scenario, version: int | None) -> None:
        self._broker = broker
        self._script = script
        self._scenario = scenario
        self._version = version
        self.title = play_title(script, scenario, version)
        self.group = self.title
        self.groups: set[str] = set()
        self.transactional_ids: set[str] = set()
        self.names = Names(self.group, f"{self.title}.topic", dict(broker.topic_ids))
        self._connections: dict[str, Connection] = {}
        self._known: dict[str, Any] = {}
        self._self = ""
        self._answers: list[Answer] = []

    def play(self) -> list[Answer]:
        try:
            for step in self._scenario.steps:
                try:
                    self._step(step)
                except _TheRestMakesNoSense:
                    break
                except (NoAnswer, ValueError, TypeError, LookupError) as error:
                    self._note(step, "", f"failed: {error}")
                    break
        finally:
            for each in self._connections.values():
                each.close()
        return self._answers

    def look_up(self, name: str) -> Any:
        if name == "group" or name.startswith("group-"):
            found = self.group + name[len("group") :]
            self.groups.add(found)
            return found
        if name == "topic" or name.startswith("topic-"):
            return self.names.topic + name[len("topic") :]
        if name == "txn" or name.startswith("txn-"):
            transactional_id: str = self.names.transactional_id + name[len("txn") :]
            self.transactional_ids.add(transactional_id)
            return transactional_id
        if name == "now":
            return int(time.time() * 1000)
        if name == "offsets-partition":
            return partition_of(self.group)
        who, _, what = name.partition(".")
        who = self._self if who == "self" else who
        if what == "name":
            return who  # for clients that make their own member id
        what, sign, distance = _ARITHMETIC.fullmatch(what or "member").groups()  # type: ignore[union-attr]
        known = self._known.get(f"{who}.{what}", "" if what == "member" else -1)
        return known + int(sign + distance) if sign else known

    def topic_id(self, topic: str) -> bytes:
        """The id of a topic on this broker; an unknown name gets an id that no topic has."""
        return self.names.topic_ids.get(topic, b"\xff" * 16)

    def _step(self, step: Step) -> None:
        match step:
            case Ask():
                for version in step.versions or (self._default_version(step.api),):
                    self._ask(step, version, read_faults(step.options))
            case Raw():
                connection = self._connection(step.connection)
                connection.send(step.bytes_sent, Pending(None, 0, 0))
                self._note(step, "", connection.take())
            case Await():
                self._await(step)
            case Close():
                for name in step.connections:
                    self._connection(name).close()
                self._barrier()

    def _default_version(self, api: Api) -> int:
        if self._scenario.each is not None and self._scenario.each[0] is api and self._version is not None:
            return self._version
        return api.versions.high

    def _connection(self, name: str) -> Connection:
        client_id = name.partition(".")[0]
        if name not in self._connections:
            self._connections[name] = Connection(self._broker.host, self._broker.port, client_id)
        return self._connections[name]

    def _ask(self, step: Ask, version: int, faults: Faults) -> None:
        kept = len(self._answers)
        if faults.until is not None:
            self._poll(step, version, faults, *faults.until)
            if faults.unnoted:
                del self._answers[kept:]
            return
        if faults.times > 1:
            self._repeat(step, version, faults)
            return
        got = self._send(step, version, faults)
        if faults.unnoted:
            del self._answers[kept:]
        if faults.twice and not step.must_wait and _asks_to_come_back(got):
            got = self._send(step, version, faults)
        if step.must_wait:
            self._must_wait(step, version, faults)

    def _poll(self, step: Ask, version: int, faults: Faults, field: str, wanted: Any) -> None:
        """Asks until the answer is the wanted one: for what happens by time and is told to nobody."""
        kept = len(self._answers)
        end = time.monotonic() + REPLY_SECONDS
        while True:
            got = self._send(step, version, faults)
            if isinstance(got, dict) and found_in(got, field, plain(wanted, self)):
                return
            if time.monotonic() > end:
                raise NoAnswer(f"{field} did not become {wanted} within {REPLY_SECONDS} s")
            del self._answers[kept:]
            time.sleep(POLL_SECONDS)

    def _repeat(self, step: Ask, version: int, faults: Faults) -> None:
        """The same request over and over, for what takes many: the epochs of a producer are used up by nothing else."""
        connection = self._connection(step.connection)
        self._self = step.connection.partition(".")[0]
        number = connection.correlation_id()
        frame = frame_of(step.api, version, number, connection.client_id, self._body(step, version), faults)
        connection.send_many(frame, faults.times - 1)
        self._send(step, version, faults)

    def _must_wait(self, step: Ask, version: int, faults: Faults) -> None:
        self._barrier()
        connection = self._connection(step.connection)
        if not connection.has_answer():
            self._note(step, step.api.name, WAITS, version)
            return
        got = self._take(step, step.connection, version)
        if faults.twice and _asks_to_come_back(got):
            self._send(step, version, faults)
            self._must_wait(step, version, Faults())
        else:
            self._note(step, step.api.name, {ANSWERED_TOO_EARLY: got}, version)
            raise _TheRestMakesNoSense

    def _send(self, step: Ask, version: int, faults: Faults) -> Any:
        connection = self._connection(step.connection)
        self._self = step.connection.partition(".")[0]
        body = self._body(step, version)
        number = connection.correlation_id()
        frame = frame_of(step.api, version, number, connection.client_id, body, faults)
        read_version = version if faults.read_version is None else faults.read_version
        connection.send(frame, Pending(step.api, read_version, number), faults.piecewise)
        if step.must_wait:
            return None
        return self._take(step, step.connection, version)

    def _take(self, step: Step, name: str, version: int | None = None) -> Any:
        """Reads the oldest answer of a connection, learns from it and notes it."""
        connection = self._connection(name)
        asked = connection.pending[0] if connection.pending else None
        got = connection.take()
        api = asked.api.name if asked and asked.api else ""
        if isinstance(got, dict):
            self._learn(name.partition(".")[0], api, got)
        self._note(step, api, got, version, name if isinstance(step, Await) else "")
        return got

    def _await(self, step: Await) -> None:
        if step.must_wait:
            self._barrier()
        for name in step.connections:
            if not step.must_wait:
                self._take(step, name)
            elif self._connection(name).has_answer():
                self._note(step, "", {ANSWERED_TOO_EARLY: self._connection(name).take()}, who=name)
            else:
                self._note(step, "", WAITS, who=name)

    def _barrier(self) -> None:
        """Everything sent before this has been handled, and what was answered has reached us.

        Two answers on another connection: the network thread has by then read what lay in every socket and queued it. A
        question about the group: its shard has worked through its queue. One more answer: the replies have been written.
        """
        control = self._connection("Control")
        api_versions, describe = api_named("ApiVersions"), api_named("DescribeGroups")
        for _ in range(2):
            control.ask(api_versions, 0, {})
        for group in sorted(self.groups | {self.group}):
            control.ask(describe, 0, {"groups": [group]})
        for _ in range(2):
            control.ask(api_versions, 0, {})

    def _body(self, step: Ask, version: int) -> Tree:
        root = step.api.request.root
        by_name = {each.attribute: each for each in root.fields}
        given = dict(self._script.defaults.get(step.api.name, {})) | step.fields
        given = {_full_name(name, by_name): value for name, value in given.items()} | {
            _full_name(name, by_name): value for name, value in step.fields.items()
        }
        if step.api.name == "OffsetFetch" and "groups" not in given:
            given["groups"] = [_one_group(given)]
        if step.api.name == "AddPartitionsToTxn" and "transactions" not in given:
            given["transactions"] = [_one_transaction(given)]
            given.pop("verify_only", None)
        if strange := set(given) - set(by_name):
            raise ValueError(f"{step.api.name} has no field {', '.join(sorted(strange))}; it has {', '.join(by_name)}")
        return {name: resolve(value, by_name[name], self) for name, value in given.items()}

    def _learn(self, who: str, api: str, got: Tree) -> None:
        if api == "JoinGroup" and got.get("error_code") in (0, MEMBER_ID_REQUIRED):
            self._known[f"{who}.member"] = got["member_id"]
            if got["error_code"] == 0:
                self._known[f"{who}.generation"] = got["generation_id"]
        elif api == "ConsumerGroupHeartbeat" and got.get("error_code") == 0:
            self._known[f"{who}.member"] = got["member_id"]
            self._known[f"{who}.generation"] = got["member_epoch"]
        elif api in ("InitProducerId", "EndTxn") and got.get("producer_id", -1) >= 0:
            self._known[f"{who}.producer"] = got["producer_id"]
            self._known[f"{who}.epoch"] = got["producer_epoch"]
        elif api == "Fetch" and got.get("session_id"):
            self._known[f"{who}.session"] = got["session_id"]

    def _note(self, step: Step, api: str, got: Any, version: int | None = None, who: str = "") -> None:
        text = step.text
        if isinstance(step, Ask) and version is not None:
            text = _with_version(step, version)
        if who:
            text = f"{text} / {who}"
        named = self.names.tree(api, "", got) if isinstance(got, dict) else got
        self._answers.append(Answer(step.line, text, api, named))


def play_title(script: Script, scenario: Scenario, version: int | None) -> str:
    return f"{script.name}-{scenario.key}" + ("" if version is None else f"-v{version}")


def _with_version(step: Ask, version: int) -> str:
    """The line as it was played: with the version in place of a range or of nothing."""
    head, _, rest = step.text.partition(f" {step.api.name}")
    rest = rest.strip()
    if step.versions:
        rest = rest.partition(" ")[2]
    return f"{head} {step.api.name} v{version} {rest}".strip()


def found_in(tree: Any, field: str, wanted: Any) -> bool:
    """Whether a field of this name, however deep, holds the value."""
    if isinstance(tree, dict):
        return str(tree.get(field)) == str(wanted) or any(found_in(each, field, wanted) for each in tree.values())
    return isinstance(tree, list) and any(found_in(each, field, wanted) for each in tree)


def _asks_to_come_back(got: Any) -> bool:
    return isinstance(got, dict) and got.get("error_code") == MEMBER_ID_REQUIRED


def _full_name(name: str, fields: Mapping[str, Any]) -> str:
    return next((long for long in _SHORT_NAMES.get(name, ()) if long in fields), name)


def _one_group(given: Mapping[str, Any]) -> Group:
    """OffsetFetch asks for one group until v7 and for a list of them since; scripts write the first form."""
    named = {"group_id": given.get("group_id", Reference("group")), "topics": given.get("topics", [])}
    return Group((), named)


def _one_transaction(given: Mapping[str, Any]) -> Group:
    """AddPartitionsToTxn is about one transaction until v3 and about a list of them since; likewise."""
    wanted = ("transactional_id", "producer_id", "producer_epoch", "verify_only", "topics")
    return Group((), {name: given[name] for name in wanted if name in given})


__all__ = ["ANSWERED_TOO_EARLY", "CLOSED", "WAITS", "Answer", "Broker", "Player", "play_title"]
