"""Items of chosen response arrays in the native dialect: one function writes an item from plain fields.

The ordinary encoder calls it for each object of a list; a handler that has no objects calls it itself and hands over
`LaidOut`. So the layout of an item stands in one place, whoever writes it. For some there is a second function, which writes
many items at once from columns (`native_runs`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from tools.codecs.dialects.interface import CodeWriter
from tools.codecs.dialects.values import annotation
from tools.codecs.schema import Api, Field, SchemaError, Struct, snake_case

LAID_OUT: Final = frozenset(
    {
        "DescribeGroupsResponseMember",
        "ListGroupsResponseGroup",
        "OffsetCommitResponsePartition",
        "OffsetFetchResponseGroupPartition",
        "OffsetFetchResponsePartition",
    }
)
"""What a response holds a hundred of, and what handlers know without an object for each. Each needs a place in one array only,
and nothing inside that is not a number, a text or octets."""

NATIVE_NUMBERS: Final = frozenset({"i16", "i32", "i64"})
"""Numbers that the compiler has a type of its own for: unboxed on their way to the bytes."""


class ItemFunctions:
    """The functions for one struct: one for each layout it has, and one that takes the version and chooses."""

    NAME = "write_{}"
    SAYS = "One item as this version has it; for `LaidOut`."

    def __init__(self, api: Api, struct: Struct, make_body: Callable[[Struct, int], list[str]]) -> None:
        self.struct = struct
        self.name = self.NAME.format(snake_case(struct.class_name.removeprefix(api.name)))
        self._bodies: dict[str, list[str]] = {}
        """By the name of the function that has it."""
        self._of_version: dict[int, str] = {}
        self._fields: dict[str, list[Field]] = {}
        for version in api.version_numbers():
            if has_struct(api.response.root, struct, version):
                self._add(version, make_body(struct, version))

    def _add(self, version: int, body: list[str]) -> None:
        fields = self.struct.fields_of(version)
        if any(each.is_array or each.struct is not None for each in self.struct.fields):
            raise SchemaError(f"{self.struct.class_name}: only a struct of numbers, texts and octets can be laid out")
        name = next((name for name, known in self._bodies.items() if known == body), f"{self.name}_v{version}")
        self._bodies[name] = body
        self._fields[name] = fields
        self._of_version[version] = name

    def call(self, version: int, out: str, item: str) -> str:
        """Python that writes the object `item`."""
        name = self._of_version[version]
        return f"{name}({out}, {', '.join(f'{item}.{each.attribute}' for each in self._fields[name])})"

    def lines(self) -> list[list[str]]:
        return [*(self._layout(name) for name in self._bodies), self._choice()]

    def _layout(self, name: str) -> list[str]:
        parameters = ", ".join(self.parameter(each) for each in self.taken(self._fields[name]))
        return [f"def {name}(out: BytesWriter, {parameters}) -> None:", *("    " + line for line in self._bodies[name])]

    def _choice(self) -> list[str]:
        code = CodeWriter()
        parameters = ", ".join(self.parameter(each) for each in self.taken(self.struct.fields))
        with code.block(f"def {self.name}(out: BytesWriter, version: i64, {parameters}) -> None:"):
            code.line(f'"""{self.SAYS}"""')
            versions = sorted(self._of_version, reverse=True)
            for version in versions:
                name = self._of_version[version]
                is_first_of_layout = self._of_version.get(version - 1) != name
                if not is_first_of_layout:
                    continue
                call = f"{name}(out, {', '.join(each.attribute for each in self.taken(self._fields[name]))})"
                if version == versions[-1]:
                    code.line(call)
                else:
                    with code.block(f"if version >= {version}:"):
                        code.line(call)
                        code.line("return")
        return code.lines

    def taken(self, fields: list[Field]) -> list[Field]:
        """Those that are parameters."""
        return fields

    def parameter(self, each: Field) -> str:
        type_name = each.type_name if each.type_name in NATIVE_NUMBERS else annotation(each)
        return f"{each.attribute}: {type_name}"


def has_struct(root: Struct, struct: Struct, version: int) -> bool:
    inner = [each.struct for each in root.fields_of(version) if each.struct is not None]
    return struct in inner or any(has_struct(each, struct, version) for each in inner)
