"""Decoders in the native dialect: one call for each field, positions in 64-bit locals, objects made by their constructors.

Every read checks for itself that its bytes are there, so nothing is left to check when the message is complete. Counts
are checked before anything is allocated.
"""

from __future__ import annotations

from typing import Final

from tools.codecs.dialects.interface import MOST_ITEMS, WHERE, CodeWriter
from tools.codecs.dialects.values import annotation, default_expression
from tools.codecs.schema import (
    FIXED_CODES,
    Api,
    Field,
    Message,
    Struct,
    smallest_element_size,
)

LIBRT_READS: Final = {"i16": "read_i16_be", "i32": "read_i32_be", "i64": "read_i64_be", "f64": "read_f64_be"}
OUR_READS: Final = {"i8": "read_i8", "u16": "read_u16", "u32": "read_u32", "uuid": "read_uuid"}
ARRAY_READS: Final = {"i32": "read_i32s", "i64": "read_i64s"}


class NativeDecoderWriter:
    """Writes one body. `librt` and `used` gather the names that bodies call, of that library and of `wire.native`."""

    def __init__(self, api: Api, version: int, librt: set[str], used: set[str]) -> None:
        self.version = version
        self.flexible = version in api.flexible
        self.compact = "compact_" if self.flexible else ""
        self.librt = librt
        self.used = used
        self.code = CodeWriter()
        self.structs = 0
        self.is_request = False

    def body(self, message: Message) -> list[str]:
        self.is_request = message.direction == "request"
        self.code.line("at: i64 = pos")
        with self.code.block("try:"):
            self.code.line(f"return {self.struct(message.root)}")
        with self.code.block("except IndexError as error:"):
            self.code.line(f"raise overrun({WHERE}, buf, at) from error")
        return self.code.lines

    def use(self, name: str) -> str:
        self.used.add(name)
        return name

    # Structs

    def struct(self, struct: Struct) -> str:
        """Read a struct; gives the expression that makes it."""
        number = self.structs
        self.structs += 1
        names = {each.name: f"{each.attribute}_{number}" for each in struct.fields}
        tagged = struct.tagged_fields_of(self.version)
        for each in struct.fields_of(self.version):
            self.field(each, names[each.name])
        if self.flexible:
            self.tagged_section(tagged, names, number)
        present = [*struct.fields_of(self.version), *tagged]
        values = [names[each.name] if each in present else default_expression(each) for each in struct.fields]
        return f"{struct.class_name}({', '.join(values)})"

    def field(self, each: Field, name: str) -> None:
        if each.is_array:
            self.array(each, name)
        elif each.struct is not None:
            self.struct_field(each, name)
        elif each.type_name in FIXED_CODES:
            self.number(each, name)
        else:
            self.sized(each, name, nullable=self.version in each.nullable)

    def struct_field(self, each: Field, name: str) -> None:
        assert each.struct is not None
        if self.version not in each.nullable:
            self.code.line(f"{name} = {self.struct(each.struct)}")
            return
        self.code.line(f"{name}: {annotation(each)} = None")
        self.code.line("at += 1")
        with self.code.block(f"if {self.use('read_i8')}(buf, at - 1) >= 0:"):
            self.code.line(f"{name} = {self.struct(each.struct)}")

    # Numbers

    def number(self, each: Field, name: str) -> None:
        expression, size = self.read_number(each)
        self.code.line(f"{name} = {expression}")
        self.code.line(f"at += {size}")

    def read_number(self, each: Field) -> tuple[str, int]:
        size = smallest_element_size(each, self.version, self.flexible)
        if each.type_name == "bool":
            return "buf[at] != 0", size
        if each.type_name in LIBRT_READS:
            self.librt.add(LIBRT_READS[each.type_name])
            return f"{LIBRT_READS[each.type_name]}(buf, at)", size
        return f"{self.use(OUR_READS[each.type_name])}(buf, at)", size

    # Strings, bytes, arrays

    def sized(self, each: Field, name: str, *, nullable: bool) -> None:
        kind = "str" if each.type_name == "str" else "bytes"
        if nullable:
            self.code.line(f"{name}, at = {self.use(f'read_nullable_{self.compact}{kind}')}(buf, at)")
        else:
            read = self.use(f"read_{self.compact}{kind}")
            self.code.line(f'{name}, at = {read}(buf, at, {WHERE}, "{each.name}")')

    def array(self, each: Field, name: str) -> None:
        nullable = self.version in each.nullable
        size = smallest_element_size(each, self.version, self.flexible)
        count = f"{name}_count"
        if not nullable:
            read = self.use(f"read_{self.compact}count")
            self.code.line(f'{count}, at = {read}(buf, at, {size}, {WHERE}, "{each.name}")')
            self.elements(each, name, count, size)
            return
        self.code.line(f"{count}, at = {self.use(f'read_nullable_{self.compact}count')}(buf, at, {size})")
        kind = "Sequence" if each.type_name in ARRAY_READS else "list"  # those may be given unboxed
        self.code.line(f"{name}: {kind}[{annotation(each, element=True, null=False)}] | None = None")
        with self.code.block(f"if {count} >= 0:"):
            self.elements(each, f"{name}_items", count, size)
            self.code.line(f"{name} = {name}_items")

    def elements(self, each: Field, items: str, count: str, size: int) -> None:
        if each.type_name in ARRAY_READS:
            self.code.line(f"{items} = {self.use(ARRAY_READS[each.type_name])}(buf, at, {count})")
            self.code.line(f"at += {count} * {size}")
            return
        if self.is_request:
            with self.code.block(f"if {count} > {MOST_ITEMS}:"):
                self.code.line(f"raise {self.use('too_many')}({WHERE}, {count})")
        self.code.line(f"{items}: list[{annotation(each, element=True, null=False)}] = []")
        with self.code.block(f"for _ in range({count}):"):
            if each.struct is not None:
                self.code.line(f"{items}.append({self.struct(each.struct)})")
            elif each.type_name in FIXED_CODES:
                expression, _ = self.read_number(each)
                self.code.line(f"{items}.append({expression})")
                self.code.line(f"at += {size}")
            else:
                self.sized(each, f"{items}_item", nullable=False)
                self.code.line(f"{items}.append({items}_item)")

    # Tagged sections

    def tagged_section(self, tagged: list[Field], names: dict[str, str], number: int) -> None:
        if not tagged:
            with self.code.block("if buf[at] == 0:"):
                self.code.line("at += 1")
            with self.code.block("else:"):
                self.code.line(f"at = {self.use('skip_tags')}(buf, at)")
            return
        for each in tagged:
            self.code.line(f"{names[each.name]}: {annotation(each)} = {default_expression(each)}")
        self.code.line(f"tags_{number}, at = {self.use('read_uvarint')}(buf, at)")
        with self.code.block(f"for _ in range(tags_{number}):"):
            self.tagged_fields(tagged, names, number)

    def tagged_fields(self, tagged: list[Field], names: dict[str, str], number: int) -> None:
        """Known tags are read, others skipped; what a tag holds has to fill exactly what it promises."""
        end = f"end_{number}"
        self.code.line(f"tag_{number}, at, {end} = {self.use('read_tag')}(buf, at)")
        for index, each in enumerate(tagged):
            with self.code.block(f"{'elif' if index else 'if'} tag_{number} == {each.tag}:"):
                # A name of its own: the field's has the type that may be None.
                self.field(each, f"{names[each.name]}_sent")
                self.code.line(f"{names[each.name]} = {names[each.name]}_sent")
                with self.code.block(f"if at != {end}:"):
                    self.code.line(f'raise {self.use("misfit")}({WHERE}, "{each.name}", at)')
        with self.code.block("else:"):
            self.code.line(f"at = {end}")
