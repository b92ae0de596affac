"""How fields look in Python whatever the dialect: their types and their defaults."""

from __future__ import annotations

from typing import Final

from tools.codecs.schema import Field

PYTHON_TYPES: Final = {
    "bool": "bool",
    "f64": "float",
    "uuid": "bytes",
    "str": "str",
    "bytes": "bytes",
    "records": "bytes",
}
ZEROES: Final = {"bool": "False", "f64": "0.0", "uuid": "NO_UUID", "str": '""', "bytes": 'b""', "records": 'b""'}


def annotation(each: Field, *, element: bool = False, null: bool = True) -> str:
    """The type of a field, or of one element of an array field. A tagged struct is None where it was not sent."""
    if each.struct is not None:
        name = each.struct.class_name
    else:
        name = PYTHON_TYPES.get(each.type_name, "int")
    if each.is_array and not element:
        name = f"Sequence[{name}]"
    return f"{name} | None" if null and may_be_none(each) and not (element and each.is_array) else name


def may_be_none(each: Field) -> bool:
    is_tagged_struct = each.tag is not None and each.struct is not None and not each.is_array
    return each.is_ever_nullable or is_tagged_struct


def is_plain_struct(each: Field) -> bool:
    """A struct that is always there: the one kind of field whose default cannot be a shared constant."""
    return each.struct is not None and not each.is_array and not may_be_none(each)


def default_expression(each: Field) -> str:
    """Python for the value of a field that a version lacks or a caller leaves out."""
    if each.default == "null":
        return "None"
    if each.is_array:
        return "()"
    if each.struct is not None:
        return "None" if may_be_none(each) else f"{each.struct.class_name}()"
    if each.default is None:
        return ZEROES.get(each.type_name, "0")
    if each.type_name == "bool":
        return each.default.capitalize()
    return repr(each.default) if each.type_name == "str" else each.default
