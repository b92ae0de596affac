"""Runs of items in the native dialect: a function writes as many items as its columns have rows.

For items that begin with numbers that differ, of which columns are given, and end with what is the same for all of the run:
numbers, and texts that are empty. That end is put together once, as one number, and written whole behind each row.
"""

from __future__ import annotations

from typing import Final

from tools.codecs.dialects.interface import CodeWriter
from tools.codecs.dialects.native_encode import LIBRT_WRITES
from tools.codecs.dialects.native_items import NATIVE_NUMBERS, ItemFunctions
from tools.codecs.schema import LENGTH_TYPES, Api, Field, SchemaError, Struct, smallest_element_size

RUNS: Final = {
    "OffsetFetchResponseGroupPartition": ("PartitionIndex", "CommittedOffset", "CommittedLeaderEpoch"),
    "OffsetFetchResponsePartition": ("PartitionIndex", "CommittedOffset", "CommittedLeaderEpoch"),
}
"""By class name, of which fields there are columns. Each is in `native_items.LAID_OUT` as well."""

_WORDS: Final = {2: "i16", 4: "i32", 8: "i64"}
"""By its size, the number as which the end of an item is written."""


class RunFunctions(ItemFunctions):
    """As for single items, one for each layout and one that chooses."""

    NAME = "write_{}s"
    SAYS = "An item for each row of the columns as this version has it, all texts empty; for `LaidOut`."

    def taken(self, fields: list[Field]) -> list[Field]:
        return [each for each in fields if each.type_name in NATIVE_NUMBERS]

    def parameter(self, each: Field) -> str:
        is_column = each.name in RUNS[self.struct.class_name]
        return f"{each.attribute}: vec[{each.type_name}]" if is_column else f"{each.attribute}: {each.type_name}"


def run_body(api: Api, struct: Struct, version: int, librt: set[str]) -> list[str]:
    """The body of a function for one version. `librt` gathers the names that it calls of that library."""
    fields = struct.fields_of(version)
    columns = [each for each in fields if each.name in RUNS[struct.class_name]]
    if fields[: len(columns)] != columns or any(each.type_name not in NATIVE_NUMBERS for each in columns):
        raise SchemaError(f"{struct.class_name}: the columns of a run have to be numbers at the beginning of an item")
    word, end = _end(struct, fields[len(columns) :], version, flexible=version in api.flexible)
    code = CodeWriter()
    code.line(f"end = {word}({end})")
    with code.block(f"for row in range(len({columns[0].attribute})):"):
        for each in columns:
            code.line(f"{LIBRT_WRITES[each.type_name]}(out, {each.attribute}[row])")
        code.line(f"{LIBRT_WRITES[word]}(out, end)")
    librt.update(LIBRT_WRITES[name] for name in (word, *(each.type_name for each in columns)))
    return code.lines


def _end(struct: Struct, fields: list[Field], version: int, *, flexible: bool) -> tuple[str, str]:
    """Which number the end of an item is, and the expression that makes it of the fields in it."""
    if any(each.type_name not in NATIVE_NUMBERS | LENGTH_TYPES for each in fields):
        raise SchemaError(f"{struct.class_name}: the items of a run have to end with numbers and texts")
    sizes = [smallest_element_size(each, version, flexible) for each in fields]
    size = sum(sizes) + flexible  # a flexible item ends with the count of its tagged fields, none
    if size not in _WORDS:
        raise SchemaError(f"{struct.class_name}: what ends the items of a run takes {size} bytes, not 2, 4 or 8")
    parts: list[str] = []
    behind = size
    for each, taken in zip(fields, sizes, strict=True):
        is_first, behind = behind == size, behind - taken
        if each.type_name in NATIVE_NUMBERS:
            # The first one brings the sign; of the others the sign would spill into those before them.
            value = f"i64({each.attribute})" if is_first else f"(i64({each.attribute}) & {(1 << taken * 8) - 1})"
            parts.append(f"{value} << {behind * 8}" if behind else value)
        elif flexible:
            parts.append(f"1 << {behind * 8}")  # the length of an empty text, plus one
    return _WORDS[size], " | ".join(parts) or "0"
