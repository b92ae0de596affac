"""Message classes: plain classes with slots, one per struct for all versions, the same whatever the dialect.

Not dataclasses: a frozen one costs five times as much to make. Arrays default to the empty tuple, which nobody can fill by
mistake; decoders give lists. A tagged struct is None where it was not sent.
"""

from __future__ import annotations

from tools.codecs.dialects.interface import CodeWriter
from tools.codecs.dialects.values import annotation, default_expression, is_plain_struct
from tools.codecs.schema import Field, Struct


def class_lines(struct: Struct, *, compiled: bool = False) -> list[str]:
    """`compiled`: say that it needs no garbage collector, since a message holds nothing that could lead back to it."""
    code = CodeWriter()
    if compiled:
        code.line("@mypyc_attr(acyclic=True)")
    with code.block(f"class {struct.class_name}(Message):"):
        names = ", ".join(f'"{each.attribute}"' for each in struct.fields)
        code.line(f"__match_args__ = ({names}{',' if len(struct.fields) == 1 else ''})")
        code.line("__slots__ = __match_args__")
        if struct.fields:
            code.line("")
            _initializer(code, struct)
    return code.lines


def _initializer(code: CodeWriter, struct: Struct) -> None:
    code.line("def __init__(")
    code.line("    self,")
    for each in struct.fields:
        code.line(f"    {_parameter(each)},")
    with code.block(") -> None:"):
        for each in struct.fields:
            name = each.attribute
            if is_plain_struct(each):
                code.line(f"self.{name} = {default_expression(each)} if {name} is None else {name}")
            else:
                code.line(f"self.{name} = {name}")


def _parameter(each: Field) -> str:
    if is_plain_struct(each):
        return f"{each.attribute}: {annotation(each)} | None = None"
    return f"{each.attribute}: {annotation(each)} = {default_expression(each)}"
