"""The schema notation: the text of one `.api` file becomes a `schema.Api`.

One file describes one API in all its versions. A line is a field; what is indented under it are the fields of its struct:

    api 12 Heartbeat  versions 0-4  flexible 4+      key, name, what we speak, from where on lengths are varints

    request
      GroupId          str                           in every version
      GroupInstanceId  str?   3+  = null             since version 3, may be null, absent means null
      Topics           Topic[]?2-7                   an array of structs, null allowed in versions 2 to 7
        Name           str    0-9
      Epoch            i64    3+  = -1  tag 1        a tagged field

A struct named again without fields under it is the struct described earlier in the same message. `#` starts a comment.
docs/decisions/0001-schema-notation.md says why. Called by the generator and by tests, never by a running server.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, NoReturn

from tools.codecs.schema import (
    FIXED_CODES,
    LAST_VERSION,
    LENGTH_TYPES,
    NO_VERSIONS,
    Api,
    Field,
    Message,
    SchemaError,
    Struct,
    Versions,
    smallest_element_size,
)

VERSIONS: Final = r"\d+(?:\+|-\d+)?"
API_LINE: Final = re.compile(
    rf"api (?P<key>\d+) (?P<name>[A-Z]\w*) versions (?P<versions>{VERSIONS}) flexible (?P<flexible>{VERSIONS}|none)"
)
FIELD_LINE: Final = re.compile(
    rf"(?P<name>[A-Z]\w*) (?P<type>\w+)(?P<array>\[\])?(?P<null>\?(?P<null_versions>{VERSIONS})?)?"
    rf"(?: (?P<versions>{VERSIONS}))?(?: = (?P<default>\S+))?(?: tag (?P<tag>\d+))?"
)
INDENT: Final = 2


@dataclass(slots=True, frozen=True)
class Line:
    number: int
    indent: int
    text: str
    """Without comment, every run of blanks made one."""


@dataclass(slots=True)
class Level:
    """A struct that lines at `indent` add fields to, and the versions in which it exists."""

    indent: int
    struct: Struct
    versions: Versions


def parse_versions(text: str) -> Versions:
    if text.endswith("+"):
        return Versions(int(text[:-1]), LAST_VERSION)
    low, _, high = text.partition("-")
    return Versions(int(low), int(high or low))


def parse_api(text: str, file_name: str) -> Api:
    """The API that a file describes; raises SchemaError with file and line."""
    return _Parser(file_name, _lines(text)).api()


def _lines(text: str) -> list[Line]:
    lines = []
    for number, raw in enumerate(text.splitlines(), start=1):
        code = raw.split("#", 1)[0].rstrip()
        if code:
            lines.append(Line(number, len(code) - len(code.lstrip(" ")), " ".join(code.split())))
    return lines


class _Parser:
    def __init__(self, file_name: str, lines: list[Line]) -> None:
        self.file_name = file_name
        self.lines = lines
        self.structs: dict[str, Struct] = {}
        """The structs of the message being read, by the name that the schema gives them."""
        self.versions = NO_VERSIONS
        self.flexible = NO_VERSIONS

    def fail(self, line: Line | None, problem: str) -> NoReturn:
        place = f"{self.file_name}:{line.number}: " if line else f"{self.file_name}: "
        raise SchemaError(place + problem)

    def api(self) -> Api:
        if not self.lines:
            self.fail(None, "is empty; it has to start with a line like 'api 12 Heartbeat versions 0-4 flexible 4+'")
        head = self.lines[0]
        match = API_LINE.fullmatch(head.text)
        if match is None or head.indent:
            self.fail(head, f"expected 'api KEY Name versions A-B flexible C+', found {head.text!r}")
        self.versions = parse_versions(match["versions"])
        if self.versions.low > self.versions.high or self.versions.high == LAST_VERSION:
            self.fail(head, f"versions {match['versions']} is not a closed range; write first-last")
        self.flexible = NO_VERSIONS if match["flexible"] == "none" else parse_versions(match["flexible"])
        request, response = self.sections(head)
        return Api(
            key=int(match["key"]),
            name=match["name"],
            versions=self.versions,
            flexible=self.flexible,
            request=self.message("request", match["name"] + "Request", request),
            response=self.message("response", match["name"] + "Response", response),
        )

    def sections(self, head: Line) -> tuple[list[Line], list[Line]]:
        """The lines of the request and those of the response."""
        marks = [index for index, line in enumerate(self.lines) if line.indent == 0][1:]
        titles = [self.lines[index].text for index in marks]
        if titles != ["request", "response"]:
            self.fail(head, f"expected the sections 'request' and 'response' in this order, found {titles}")
        if marks[0] != 1:
            self.fail(self.lines[1], "a field has to stand under 'request' or 'response'")
        return self.lines[2 : marks[1]], self.lines[marks[1] + 1 :]

    def message(self, direction: str, class_name: str, lines: list[Line]) -> Message:
        self.structs = {}
        root = Struct(class_name)
        levels = [Level(INDENT, root, self.versions)]
        for index, line in enumerate(lines):
            while len(levels) > 1 and line.indent < levels[-1].indent:
                levels.pop()
            if line.indent != levels[-1].indent:
                self.fail(line, f"indented by {line.indent}; fields of this struct stand at {levels[-1].indent}")
            has_fields = index + 1 < len(lines) and lines[index + 1].indent > line.indent
            added = self.field(line, levels[-1], class_name, has_fields)
            if has_fields and added.struct is not None:
                levels.append(Level(line.indent + INDENT, added.struct, added.versions))
        for version in range(self.versions.low, self.versions.high + 1):
            self.check_elements(root, version)
        return Message(direction, root)

    def field(self, line: Line, level: Level, message_name: str, has_fields: bool) -> Field:
        match = FIELD_LINE.fullmatch(line.text)
        if match is None:
            self.fail(line, f"expected 'Name type[]? versions = default tag N', found {line.text!r}")
        versions = parse_versions(match["versions"]) if match["versions"] else level.versions
        added = Field(
            name=match["name"],
            type_name=match["type"],
            versions=Versions(max(versions.low, level.versions.low), min(versions.high, level.versions.high)),
            is_array=match["array"] is not None,
            default=match["default"],
            tag=int(match["tag"]) if match["tag"] else None,
        )
        if match["null"]:
            added.nullable = parse_versions(match["null_versions"]) if match["null_versions"] else added.versions
        if any(each.name == added.name for each in level.struct.fields):
            self.fail(line, f"{added.name} is already a field of this struct")
        if added.versions.low > added.versions.high:
            self.fail(line, f"versions {versions} share nothing with {level.versions}, where the struct exists")
        self.find_struct(line, added, message_name, has_fields)
        self.check_null(line, added)
        self.check_tag(line, added, level)
        level.struct.fields.append(added)
        return added

    def find_struct(self, line: Line, added: Field, message_name: str, has_fields: bool) -> None:
        """A capital starts the name of a struct, described by the lines under this one or by an earlier field."""
        name = added.type_name
        if name in FIXED_CODES or name in LENGTH_TYPES:
            if has_fields:
                self.fail(line, f"{added.name} is {name} and can have no fields under it")
        elif not name[0].isupper():
            known = ", ".join([*FIXED_CODES, *sorted(LENGTH_TYPES)])
            self.fail(line, f"unknown type {name!r}; one of {known}, or a struct's name with a capital")
        elif has_fields:
            if name in self.structs:
                self.fail(line, f"struct {name} is already described; name it without fields to use it again")
            added.struct = self.structs[name] = Struct(message_name + name)
        elif name in self.structs:
            added.struct = self.structs[name]
        else:
            self.fail(line, f"struct {name} has no fields under it and none was described before")

    def check_null(self, line: Line, added: Field) -> None:
        if added.default == "null" and not added.is_ever_nullable:
            self.fail(line, f"{added.name} cannot be null, so null cannot be its default; write {added.type_name}?")
        if added.is_ever_nullable and added.type_name in FIXED_CODES and not added.is_array:
            self.fail(line, f"{added.type_name} has no null; only strings, bytes, arrays and structs have")

    def check_tag(self, line: Line, added: Field, level: Level) -> None:
        if added.tag is None:
            return
        if not self.flexible.covers(added.versions):
            self.fail(line, f"tagged in versions {added.versions}, but flexible are only {self.flexible}")
        if any(each.tag == added.tag for each in level.struct.fields):
            self.fail(line, f"tag {added.tag} is already taken in this struct")
        if added.is_ever_nullable and added.struct is not None and not added.is_array:
            self.fail(line, "a tagged struct that may be null is not supported; leave out the ?")

    def check_elements(self, struct: Struct, version: int) -> None:
        """An array of elements without bytes would let a small frame ask for any amount of memory."""
        for each in struct.fields:
            if each.struct is None or version not in each.versions:
                continue
            if each.is_array and not smallest_element_size(each, version, version in self.flexible):
                self.fail(None, f"elements of {each.name} have no bytes in version {version}")
            self.check_elements(each.struct, version)
