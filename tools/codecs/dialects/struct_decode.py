"""Decoders in the struct dialect: straight-line code, local variables, one unpack for each run of fixed-size fields.

A run takes in what follows it: the length of a string, the first byte of a varint, the count of a tagged section.
Overruns need no check at each field. Positions only grow, so a read behind the end raises IndexError or struct.error by
itself, and what a slice cut short shows as `pos > len(buf)` when the message is complete. Counts are checked before
anything is allocated.
"""

from __future__ import annotations

from tools.codecs.dialects.interface import MOST_ITEMS, WHERE, CodeWriter
from tools.codecs.dialects.layouts import Layouts, size_of
from tools.codecs.dialects.values import annotation, default_expression
from tools.codecs.schema import (
    FIXED_CODES,
    Api,
    Field,
    Message,
    Struct,
    smallest_element_size,
)


class DecoderWriter:
    """Writes one body. `self.run` holds the fixed-size pieces not yet read: (letter, variable)."""

    def __init__(self, api: Api, version: int, layouts: Layouts, used: set[str], by_constructor: bool) -> None:
        self.version = version
        self.flexible = version in api.flexible
        self.layouts = layouts
        self.used = used
        """Names from `primitives` and `varint` that bodies call."""
        self.by_constructor = by_constructor
        self.code = CodeWriter()
        self.run: list[tuple[str, str]] = []
        self.structs = 0
        self.declared: set[str] = set()
        self.is_request = False

    def body(self, message: Message) -> list[str]:
        self.is_request = message.direction == "request"
        with self.code.block("try:"):
            result = self.struct(message.root)
        self.use("overrun")
        with self.code.block("except (IndexError, StructError) as error:"):
            self.code.line(f"raise overrun({WHERE}, buf, pos) from error")
        with self.code.block("if pos > len(buf):"):
            self.code.line(f"raise overrun({WHERE}, buf, pos)")
        self.code.line(f"return {result}")
        return self.code.lines

    def use(self, name: str) -> str:
        self.used.add(name)
        return name

    def declare(self, name: str, type_name: str, value: str) -> None:
        """A variable whose first value does not tell its type; a second annotation would be an error."""
        self.code.line(f"{name} = {value}" if name in self.declared else f"{name}: {type_name} = {value}")
        self.declared.add(name)

    # Runs of fixed-size pieces

    def flush(self) -> None:
        """Read everything that the run holds and move on."""
        if not self.run:
            return
        codes = "".join(code for code, _ in self.run)
        names = ", ".join(name for _, name in self.run)
        if codes == "B":
            self.code.line(f"{names} = buf[pos]")
        elif codes == "?":
            self.code.line(f"{names} = buf[pos] != 0")
        else:
            target = f"({names},)" if len(self.run) == 1 else names
            self.code.line(f"{target} = {self.layouts.unpack(codes)}(buf, pos)")
        self.code.line(f"pos += {size_of(codes)}")
        self.run = []

    # Structs

    def struct(self, struct: Struct) -> str:
        """Read a struct; gives the variable that then holds it."""
        number = self.structs
        self.structs += 1
        names = {each.name: f"{each.attribute}_{number}" for each in struct.fields}
        tagged = struct.tagged_fields_of(self.version)
        for each in struct.fields_of(self.version):
            self.field(each, names[each.name])
        if self.flexible:
            self.tagged_section(tagged, names)
        self.flush()
        present = [*struct.fields_of(self.version), *tagged]
        values = [names[each.name] if each in present else default_expression(each) for each in struct.fields]
        if self.by_constructor:
            self.code.line(f"made_{number} = {struct.class_name}({', '.join(values)})")
            return f"made_{number}"
        self.code.line(f"made_{number} = new({struct.class_name})")
        for each, value in zip(struct.fields, values, strict=True):
            self.code.line(f"made_{number}.{each.attribute} = {value}")
        return f"made_{number}"

    def field(self, each: Field, name: str) -> None:
        if each.is_array:
            self.array(each, name)
        elif each.struct is not None:
            self.struct_field(each, name)
        elif each.type_name in FIXED_CODES:
            self.run.append((FIXED_CODES[each.type_name], name))
        else:
            self.sized(each, name, self.version in each.nullable)

    def struct_field(self, each: Field, name: str) -> None:
        assert each.struct is not None
        if self.version not in each.nullable:
            self.code.line(f"{name} = {self.struct(each.struct)}")
            return
        self.run.append(("b", "present"))
        self.flush()
        self.declare(name, annotation(each), "None")
        with self.code.block("if present >= 0:"):
            self.code.line(f"{name} = {self.struct(each.struct)}")

    # Strings, bytes, arrays

    def length(self, each: Field, nullable: bool, *, wide: bool) -> str:
        """Read a length or count into `n`; gives the condition that it is not null. Flexible ones are one too large."""
        if not self.flexible:
            self.run.append(("i" if wide else "h", "n"))
            self.flush()
            if not nullable:
                with self.code.block("if n < 0:"):
                    self.code.line(f'raise {self.use("null_field")}({WHERE}, "{each.name}")')
            return "n >= 0"
        self.run.append(("B", "n"))
        self.flush()
        if nullable:
            with self.code.block("if n > 127:"):
                self.code.line(f"n, pos = {self.use('read_uvarint')}(buf, pos - 1)")
        else:
            with self.code.block("if not 0 < n < 128:"):
                self.code.line(f'n, pos = {self.use("read_length")}(buf, pos - 1, {WHERE}, "{each.name}")')
        return "n > 0"

    def sized(self, each: Field, name: str, nullable: bool) -> None:
        not_null = self.length(each, nullable, wide=each.type_name != "str")
        if nullable:
            self.declare(name, annotation(each), "None")
            with self.code.block(f"if {not_null}:"):
                self.content(each, name)
        else:
            self.content(each, name)

    def content(self, each: Field, name: str) -> None:
        self.code.line("end = pos + n - 1" if self.flexible else "end = pos + n")
        decode = '.decode("utf-8", "replace")' if each.type_name == "str" else ""
        self.code.line(f"{name} = buf[pos:end]{decode}")
        self.code.line("pos = end")

    def array(self, each: Field, name: str) -> None:
        nullable = self.version in each.nullable
        not_null = self.length(each, nullable, wide=True)
        if nullable:
            self.declare(name, annotation(each), "None")
            with self.code.block(f"if {not_null}:"):
                self.elements(each, name)
        else:
            self.elements(each, name)

    def elements(self, each: Field, name: str) -> None:
        if self.flexible:
            self.code.line("n -= 1")
        size = smallest_element_size(each, self.version, self.flexible)
        with self.code.block(f"if n * {size} > len(buf) - pos:" if size > 1 else "if n > len(buf) - pos:"):
            self.code.line(f"raise {self.use('overrun')}({WHERE}, buf, pos)")
        if each.type_name in FIXED_CODES:
            self.numbers(each, name, size)
            return
        if self.is_request:
            with self.code.block(f"if n > {MOST_ITEMS}:"):
                self.code.line(f"raise {self.use('too_many')}({WHERE}, n)")
        # A list of its own name, for the array may be null and mypy would then not let us append to it.
        items = f"{name}_items"
        self.code.line(f"{items}: list[{annotation(each, element=True, null=False)}] = []")
        with self.code.block("for _ in range(n):"):
            if each.struct is not None:
                self.code.line(f"{items}.append({self.struct(each.struct)})")
            else:
                self.sized(each, f"{name}_item", nullable=False)
                self.code.line(f"{items}.append({name}_item)")
        self.code.line(f"{name} = {items}")

    def numbers(self, each: Field, name: str, size: int) -> None:
        if each.type_name == "i32":
            self.code.line(f"{name} = {self.use('read_i32s')}(buf, pos, n)")
        else:
            code = FIXED_CODES[each.type_name]
            self.code.line(f'{name} = {self.use("read_numbers")}("{code}", {size}, buf, pos, n)')
        self.code.line(f"pos += n * {size}" if size > 1 else "pos += n")

    # Tagged sections

    def tagged_section(self, tagged: list[Field], names: dict[str, str]) -> None:
        self.run.append(("B", "tags"))
        self.flush()
        if not tagged:
            with self.code.block("if tags:"):
                self.code.line(f"pos = {self.use('skip_tagged')}(buf, pos - 1)")
            return
        for each in tagged:
            self.declare(names[each.name], annotation(each), default_expression(each))
        with self.code.block("if tags:"):
            self.code.line(f"tags, pos = {self.use('read_uvarint')}(buf, pos - 1)")
            with self.code.block("for _ in range(tags):"):
                self.tagged_fields(tagged, names)

    def tagged_fields(self, tagged: list[Field], names: dict[str, str]) -> None:
        """Known tags are read, others skipped; what a tag holds has to fill exactly what it promises."""
        number = self.structs
        self.code.line(f"tag, pos, end_{number} = {self.use('read_tag')}(buf, pos)")
        for index, each in enumerate(tagged):
            with self.code.block(f"{'elif' if index else 'if'} tag == {each.tag}:"):
                self.field(each, f"{names[each.name]}")
                self.flush()
                with self.code.block(f"if pos != end_{number}:"):
                    self.code.line(f'raise {self.use("misfit")}({WHERE}, "{each.name}", pos)')
        with self.code.block("else:"):
            self.code.line(f"pos = end_{number}")
