"""Encoders in the native dialect: one call for each field, all into one `BytesWriter`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tools.codecs.dialects.interface import WHERE, CodeWriter
from tools.codecs.dialects.native_items import ItemFunctions
from tools.codecs.dialects.struct_encode import differs
from tools.codecs.schema import FIXED_CODES, Api, Field, Message, Struct

LIBRT_WRITES: Final = {"i16": "write_i16_be", "i32": "write_i32_be", "i64": "write_i64_be", "f64": "write_f64_be"}
OUR_WRITES: Final = {"i8": "write_i8", "u16": "write_u16", "u32": "write_u32", "uuid": "write_uuid"}
ARRAY_WRITES: Final = {"i32": "write_i32s", "i64": "write_i64s"}
NO_ITEMS: Final[Mapping[str, ItemFunctions]] = {}


class NativeEncoderWriter:
    """Writes one body. `librt` and `used` gather the names that bodies call, of that library and of `wire.native`."""

    def __init__(
        self,
        api: Api,
        version: int,
        librt: set[str],
        used: set[str],
        laid_out: Mapping[str, ItemFunctions] = NO_ITEMS,
    ) -> None:
        """`laid_out`: by class name, the structs that functions of their own write."""
        self.version = version
        self.flexible = version in api.flexible
        self.compact = "compact_" if self.flexible else ""
        self.librt = librt
        self.used = used
        self.laid_out = laid_out
        self.code = CodeWriter()
        self.out = "out"
        self.count = 0

    def body(self, message: Message) -> list[str]:
        with self.code.block("try:"):
            self.code.line(f"out = {self.use('begun')}()")
            self.struct(message.root, "message")
            self.code.line(f"return {self.use('finished')}(out)")
        with self.code.block("except (AttributeError, TypeError, ValueError, OverflowError) as error:"):
            self.code.line(f"raise encode_failure({WHERE}, message, error) from error")
        return self.code.lines

    def item_body(self, struct: Struct) -> list[str]:
        """The body of a function that has the struct's fields as its parameters."""
        self.struct(struct, "")
        return self.code.lines

    def use(self, name: str) -> str:
        self.used.add(name)
        return name

    def number(self) -> int:
        """Makes variable names that no other part of the body has."""
        self.count += 1
        return self.count

    # Structs

    def struct(self, struct: Struct, of: str) -> None:
        for each in struct.fields_of(self.version):
            self.field(each, f"{of}.{each.attribute}" if of else each.attribute)
        if self.flexible:
            self.tagged_section(struct.tagged_fields_of(self.version), of)

    def field(self, each: Field, value: str) -> None:
        nullable = self.version in each.nullable
        if each.type_name in FIXED_CODES and not each.is_array:
            self.fixed(each, value)
        elif not each.is_array and each.struct is None:
            if each.is_ever_nullable and not nullable:
                value = self.not_null(each, value)
            self.sized(each, value, nullable=nullable)
        elif nullable:
            self.nullable(each, value)
        elif each.is_ever_nullable:
            self.variable(each, self.not_null(each, value))
        else:
            self.variable(each, value)

    def variable(self, each: Field, value: str) -> None:
        if each.is_array:
            self.array(each, value)
        elif each.struct is not None:
            name = f"inner_{self.number()}"
            self.code.line(f"{name} = {value}")
            self.struct(each.struct, name)
        else:
            self.sized(each, value, nullable=False)

    def not_null(self, each: Field, value: str) -> str:
        """Null in other versions, but not in this one."""
        name = f"value_{self.number()}"
        self.code.line(f"{name} = {value}")
        with self.code.block(f"if {name} is None:"):
            self.code.line(f'raise TypeError("{each.name} may not be null")')
        return name

    def nullable(self, each: Field, value: str) -> None:
        name = f"value_{self.number()}"
        self.code.line(f"{name} = {value}")
        with self.code.block(f"if {name} is None:"):
            if each.is_array and not self.flexible:
                self.call("write_i32_be", "-1")
            else:
                self.code.line(f"{self.out}.append({0 if each.is_array else 255})")
        with self.code.block("else:"):
            if not each.is_array:
                self.code.line(f"{self.out}.append(1)")
            self.variable(each, name)

    # Numbers, strings, bytes

    def call(self, function: str, value: str) -> None:
        if function in LIBRT_WRITES.values():
            self.librt.add(function)
        else:
            self.use(function)
        self.code.line(f"{function}({self.out}, {value})")

    def fixed(self, each: Field, value: str) -> None:
        if each.type_name == "bool":
            self.code.line(f"{self.out}.append(1 if {value} else 0)")
        else:
            self.call(LIBRT_WRITES.get(each.type_name) or OUR_WRITES[each.type_name], value)

    def sized(self, each: Field, value: str, *, nullable: bool) -> None:
        kind = "str" if each.type_name == "str" else "bytes"
        if nullable:
            self.call(f"write_nullable_{self.compact}{kind}", value)
        else:
            self.call(f"write_{self.compact}{kind}", value)

    # Arrays

    def array(self, each: Field, value: str) -> None:
        number = self.number()
        items, item = f"items_{number}", f"item_{number}"
        is_laid_out = each.struct is not None and each.struct.class_name in self.laid_out
        is_gone_through = each.type_name not in ARRAY_WRITES and not is_laid_out
        self.code.line(f"{items} = {self.use('as_list')}({value})" if is_gone_through else f"{items} = {value}")
        if self.flexible:
            self.call("write_uvarint", f"len({items}) + 1")
        else:
            self.call("write_i32_be", f"len({items})")
        if each.type_name in ARRAY_WRITES:
            self.call(ARRAY_WRITES[each.type_name], items)
        elif each.struct is not None and is_laid_out:
            self.laid_out_array(self.laid_out[each.struct.class_name], items, number)
        else:
            self.elements(each, items, item)

    def laid_out_array(self, functions: ItemFunctions, items: str, number: int) -> None:
        item = f"item_{number}"
        with (
            self.code.block(f"if not {self.use('wrote_itself')}({items}, {self.out}):"),
            self.code.block(f"for {item} in {items}:"),
        ):
            self.code.line(functions.call(self.version, self.out, item))

    def elements(self, each: Field, items: str, item: str) -> None:
        with self.code.block(f"for {item} in {items}:"):
            if each.struct is not None:
                self.struct(each.struct, item)
            elif each.type_name in FIXED_CODES:
                self.fixed(each, item)
            else:
                self.sized(each, item, nullable=False)
            if self.code.lines[-1].endswith(":"):
                self.code.line("pass")

    # Tagged sections

    def tagged_section(self, tagged: list[Field], of: str) -> None:
        if not tagged:
            self.code.line(f"{self.out}.append(0)")
            return
        conditions = [differs(each, f"{of}.{each.attribute}") for each in tagged]
        number, outer = self.number(), self.out
        count, section, payload = f"count_{number}", f"section_{number}", f"payload_{number}"
        self.code.line(f"{count} = 0")
        self.code.line(f"{section} = BytesWriter()")
        for each, condition in zip(tagged, conditions, strict=True):
            with self.code.block(f"if {condition}:"):
                self.code.line(f"{payload} = BytesWriter()")
                self.out = payload
                # Where null is the default the condition has already ruled it out.
                if each.default == "null" or (each.struct is not None and not each.is_array):
                    self.variable(each, self.not_null(each, f"{of}.{each.attribute}"))
                else:
                    self.field(each, f"{of}.{each.attribute}")
                self.code.line(f"{count} += 1")
                self.code.line(f"{self.use('write_tag')}({section}, {each.tag}, {payload})")
        self.out = outer
        self.call("write_uvarint", count)
        self.code.line(f"{self.out}.write({section}.getvalue())")
