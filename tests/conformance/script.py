"""Scripts: conversations with a broker as plain text, one situation after the other, read into steps.

    settings group.max.size=2                what the broker is started with, for the whole file
    deny group noread READ                   what clients may not do (`authorization`)
    unprepared                               a broker on which nothing has been made, not even the shared topics
    transactional                            scenarios one after the other, on a broker whose transaction coordinator is ready
    default Heartbeat group_id=$group        fields that every such request has unless it says otherwise
    alias beat ConsumerGroupHeartbeat        a request under a shorter name, with fields that it has unless it says otherwise
    define pair                              steps under a name, until `end`
    == T050 a follower joins again unchanged and is answered at once
    each JoinGroup v0..v9                    the scenario is played once per version, each time with a fresh group
    pair                                     the steps defined above
    A: Heartbeat                             A asks and takes the answer
    B> JoinGroup v3                          B asks and must be left waiting
    waits B                                  still no answer
    then B                                   B's answer comes now
    A: Heartbeat v0..v4                      once per version, in this order
    A: Heartbeat | cut 2                     damaged on the way (options in `wire_faults`)
    A: raw 0x00000000                        just bytes
    close A                                  A hangs up
    A.2: Heartbeat                           a second connection of the same member A

Answers are not in the script: a real broker gives them and `recordings` keeps them. Knows nothing of sockets.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from tests.conformance.authorization import SETTING, TRANSACTIONAL, UNPREPARED, read_denials
from tests.conformance.codec import api_named
from tests.conformance.values import Tokens, read_assignments
from tools.codecs.schema import Api

FOLDER: Final = Path(__file__).parent / "scripts"
EVERYWHERE: Final = FOLDER / "everywhere.defaults"
"""Defaults and definitions that all scripts share."""

_ASK: Final = re.compile(r"(?P<name>[A-Z]\w*(?:\.\d)?)(?P<mark>[:>]) (?P<rest>.*)")
_VERSIONS: Final = re.compile(r"v(\d+)(?:\.\.v(\d+))?$")
_COMMENT: Final = re.compile(r"(^|\s)#(\s.*)?$")


class ScriptError(Exception):
    """A script that cannot be read: file, line and what is wrong."""


@dataclass(frozen=True)
class Ask:
    """A request. `must_wait`: no answer may come before a later `then`."""

    line: int
    text: str
    connection: str
    must_wait: bool
    api: Api
    versions: tuple[int, ...]
    """Empty: the version that the scenario is played for, or else the last one."""
    fields: dict[str, Any]
    options: tuple[tuple[Any, ...], ...]


@dataclass(frozen=True)
class Raw:
    line: int
    text: str
    connection: str
    bytes_sent: bytes


@dataclass(frozen=True)
class Await:
    """`then` (the answers come) or `waits` (they must not have come)."""

    line: int
    text: str
    connections: tuple[str, ...]
    must_wait: bool


@dataclass(frozen=True)
class Close:
    line: int
    text: str
    connections: tuple[str, ...]


Step = Ask | Raw | Await | Close


@dataclass
class Scenario:
    key: str
    title: str
    line: int
    steps: list[Step] = field(default_factory=list)
    each: tuple[Api, tuple[int, ...]] | None = None

    def versions(self) -> tuple[int | None, ...]:
        return self.each[1] if self.each else (None,)


@dataclass
class Script:
    name: str
    settings: dict[str, str] = field(default_factory=dict)
    defaults: dict[str, dict[str, Any]] = field(default_factory=dict)
    scenarios: list[Scenario] = field(default_factory=list)


def all_scripts(folder: Path = FOLDER) -> list[Script]:
    return [read_script(path) for path in sorted(folder.glob("*.script"))]


def read_script(path: Path) -> Script:
    return _Reader().read(path)


class _Reader:
    def __init__(self) -> None:
        self._definitions: dict[str, list[Step]] = {}
        self._aliases: dict[str, tuple[str, str]] = {}
        """Name -> API, fields."""
        self._defining: list[Step] | None = None

    def read(self, path: Path) -> Script:
        script = Script(path.stem)
        for source in (EVERYWHERE, path):
            for number, text in _lines(source):
                try:
                    self._take(script, number, text)
                except (ValueError, KeyError) as error:
                    raise ScriptError(f"{source.name}:{number}: {error}: {text}") from error
        keys = [each.key for each in script.scenarios]
        if twice := {key for key in keys if keys.count(key) > 1}:
            raise ScriptError(f"{path.name}: more than one scenario is called {', '.join(sorted(twice))}")
        return script

    def _take(self, script: Script, number: int, text: str) -> None:
        word, _, rest = text.partition(" ")
        if word == "==":
            key, _, title = rest.partition(" ")
            script.scenarios.append(Scenario(key, title, number))
        elif word == "settings":
            name, _, value = rest.partition("=")
            script.settings[name.strip()] = value.strip()
        elif text in (UNPREPARED, TRANSACTIONAL):
            script.settings[text] = "yes"
        elif word == "deny":
            read_denials(rest)
            script.settings[SETTING] = f"{script.settings.get(SETTING, '')};{rest}"
        elif word == "default":
            api, _, fields = rest.partition(" ")
            known = script.defaults.setdefault(api_named(api).name, {})
            known.update(_fields(fields)[0])
        elif word == "alias":
            name, _, meaning = rest.partition(" ")
            api, _, fields = meaning.partition(" ")
            self._aliases[name] = (api_named(api).name, fields)
        elif word == "define":
            self._defining = self._definitions[rest] = []
        elif word == "end" and not rest:
            self._defining = None
        elif word == "each":
            api, _, versions = rest.partition(" ")
            script.scenarios[-1].each = (api_named(api), _versions(versions, api_named(api)))
        else:
            steps = script.scenarios[-1].steps if self._defining is None else self._defining
            steps.extend(self._steps(number, text))

    def _steps(self, number: int, text: str) -> list[Step]:
        if text in self._definitions:
            return self._definitions[text]
        word, _, rest = text.partition(" ")
        if word in ("then", "waits"):
            return [Await(number, text, tuple(rest.split()), word == "waits")]
        if word == "close":
            return [Close(number, text, tuple(rest.split()))]
        asked = _ASK.fullmatch(text)
        if asked is None:
            raise ValueError("neither a step nor the name of a definition")
        name, mark, rest = asked.group("name", "mark", "rest")
        if rest.startswith("raw "):
            return [Raw(number, text, name, bytes.fromhex(rest[4:].replace(" ", "").removeprefix("0x")))]
        rest = self._spelled_out(rest)
        return [_ask(number, f"{name}{mark} {rest}", name, mark == ">", rest)]

    def _spelled_out(self, rest: str) -> str:
        """With an API in place of its alias, and the fields of the alias before those of the line, which count."""
        first, _, behind = rest.partition(" ")
        if first not in self._aliases:
            return rest
        api, fields = self._aliases[first]
        second, _, behind_version = behind.partition(" ")
        version = f" {second}" if _VERSIONS.fullmatch(second) else ""
        return f"{api}{version} {fields} {behind_version if version else behind}".strip()


def _ask(number: int, text: str, connection: str, must_wait: bool, rest: str) -> Ask:
    api_name, _, rest = rest.partition(" ")
    api = api_named(api_name)
    first, _, behind = rest.partition(" ")
    versions: tuple[int, ...] = ()
    if _VERSIONS.fullmatch(first):
        versions, rest = _versions(first, api), behind
    fields, options = _fields(rest)
    return Ask(number, text, connection, must_wait, api, versions, fields, options)


def _versions(text: str, api: Api) -> tuple[int, ...]:
    found = _VERSIONS.fullmatch(text.strip())
    if found is None:
        raise ValueError(f"{text!r} is not a range of versions such as v4..v9")
    low, high = int(found[1]), int(found[2] or found[1])
    if low not in api.versions or high not in api.versions or high < low:
        raise ValueError(f"{api.name} has the versions {api.versions}, not {text}")
    return tuple(range(low, high + 1))


def _fields(text: str) -> tuple[dict[str, Any], tuple[tuple[Any, ...], ...]]:
    tokens = Tokens(text)
    items, named = read_assignments(tokens, "|")
    if items:
        raise ValueError(f"fields are written name=value, not {items[0]!r}")
    options = []
    while tokens.peek() == "|":
        tokens.take()
        words, more = read_assignments(tokens, "|")
        if more:
            raise ValueError(f"options have no names: {more}")
        options.append(words)
    return named, tuple(options)


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    for number, raw in enumerate(path.read_text().splitlines(), start=1):
        text = re.sub(r" {2,}", " ", _COMMENT.sub("", raw).strip())
        if text:
            yield number, text
