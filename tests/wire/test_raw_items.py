"""Arrays that are handed over laid out: the same bytes as from a list of objects, in every version and in both dialects.

Whether an item is written alone or in a run of many is not to be seen either.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

import pytest
from librt.strings import BytesWriter
from librt.vecs import vec
from mypy_extensions import i32, i64

from muster.wire.message import RawItems, raw_items
from tools.codecs.dialects import native_runs
from tools.codecs.dialects.native_items import LAID_OUT, ItemFunctions, has_struct
from tools.codecs.dialects.native_runs import RUNS, RunFunctions, run_body
from tools.codecs.generate import load_apis
from tools.codecs.notation import parse_api
from tools.codecs.schema import Api, SchemaError, Struct, structs_of

CASES = [
    (api, struct, version)
    for api in load_apis()
    for struct in structs_of(api.response.root)
    if struct.class_name in LAID_OUT
    for version in api.version_numbers()
    if has_struct(api.response.root, struct, version)
]
SAMPLES: dict[str, list[object]] = {
    "i16": [0, -1, 15],
    "i32": [0, -1, 2**31 - 1],
    "i64": [5, -1, 2**63 - 1],
    "str": ["", "text", "x" * 200],
    "bytes": [b"", b"octets", b"y" * 300],
}


def rows_of(struct: Struct) -> list[list[object]]:
    return [[SAMPLES[each.type_name][row] for each in struct.fields] for row in range(3)]


def response_with(api: Api, struct: Struct, items: object) -> Any:
    """A response of which everything is at its defaults but for the one array."""

    def made(outer: Struct) -> Any:
        message = getattr(classes, outer.class_name)()
        for each in outer.fields:
            if each.struct is struct:
                setattr(message, each.attribute, items)
            elif each.struct is not None and each.is_array:
                setattr(message, each.attribute, [made(each.struct)])
        return message

    classes = import_module(f"muster.wire.generated.{api.module_name}")
    return made(api.response.root)


@pytest.mark.parametrize("dialect", ["struct", "native"])
@pytest.mark.parametrize(
    ("api", "struct", "version"), CASES, ids=[f"{struct.class_name}-v{version}" for _, struct, version in CASES]
)
def test_items_laid_out_are_written_as_objects_are(api: Api, struct: Struct, version: int, dialect: str) -> None:
    classes = import_module(f"muster.wire.generated.{api.module_name}")
    native = import_module(f"muster.wire.generated.{api.module_name}_native")
    encode = import_module(f"muster.wire.generated.{api.module_name}_{dialect}").RESPONSE_ENCODERS[version]
    out = BytesWriter()
    for row in rows_of(struct):
        getattr(native, ItemFunctions(api, struct, lambda *_: []).name)(out, version, *row)
    laid_out = encode(response_with(api, struct, raw_items(3, out.getvalue())))
    objects = [getattr(classes, struct.class_name)(*row) for row in rows_of(struct)]
    assert laid_out == encode(response_with(api, struct, objects))
    assert encode(response_with(api, struct, raw_items(0, b""))) == encode(response_with(api, struct, []))


@pytest.mark.parametrize("error", [0, 15, -1, 2**15 - 1, -(2**15)])
@pytest.mark.parametrize(
    ("api", "struct", "version"),
    [case for case in CASES if case[1].class_name in RUNS],
    ids=lambda value: value.class_name if isinstance(value, Struct) else None,
)
def test_a_run_is_written_as_its_items_are(api: Api, struct: Struct, version: int, error: int) -> None:
    native = import_module(f"muster.wire.generated.{api.module_name}_native")
    columns: dict[str, list[int]] = {
        "i32": [0, -1, 7, 7, 2**31 - 1, -(2**31)],
        "i64": [5, -1, 2**40, 0, 2**63 - 1, -(2**63)],
    }
    alone, run = BytesWriter(), BytesWriter()
    for row in range(6):
        fields = [
            columns[each.type_name][row] if each.name in RUNS[struct.class_name] else "" for each in struct.fields
        ]
        getattr(native, ItemFunctions(api, struct, lambda *_: []).name)(alone, version, *fields[:-1], error)
    vecs = [VECS[each.type_name](columns[each.type_name]) for each in struct.fields[:3]]
    getattr(native, RunFunctions(api, struct, lambda *_: []).name)(run, version, *vecs, error)
    assert run.getvalue() == alone.getvalue()


VECS: dict[str, Any] = {"i32": vec[i32], "i64": vec[i64]}


def test_every_struct_that_is_said_to_be_laid_out_exists() -> None:
    assert {struct.class_name for _, struct, _ in CASES} == LAID_OUT
    assert set(RUNS) <= LAID_OUT


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ("Error i16\n    Id i32", "the columns of a run have to be numbers at the beginning of an item"),
        ("Id uuid\n    Error i16", "the columns of a run have to be numbers at the beginning of an item"),
        ("Id i32\n    Is bool", "the items of a run have to end with numbers and texts"),
        ("Id i32\n    Error i16\n    Time i64", "takes 10 bytes, not 2, 4 or 8"),
        ("Id i32", "takes 0 bytes, not 2, 4 or 8"),
    ],
)
def test_items_that_cannot_be_written_as_a_run_are_refused(
    fields: str, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    api = parse_api(
        f"api 1 Thing versions 0 flexible none\nrequest\nresponse\n  Rows Row[]\n    {fields}\n", "thing.api"
    )
    monkeypatch.setattr(native_runs, "RUNS", {"ThingResponseRow": ("Id",)})
    with pytest.raises(SchemaError, match=why):
        run_body(api, structs_of(api.response.root)[0], 0, set())


def test_a_run_without_texts_keeps_the_signs_of_its_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "api 1 Thing versions 0 flexible 0+\nrequest\nresponse\n  Rows Row[]\n    Id i32\n    A i32\n    B i16\n    C str\n"
    api = parse_api(text, "thing.api")
    monkeypatch.setattr(native_runs, "RUNS", {"ThingResponseRow": ("Id",)})
    body = run_body(api, structs_of(api.response.root)[0], 0, set())
    assert body[0] == "end = i64(i64(a) << 32 | (i64(b) & 65535) << 16 | 1 << 8)"


def test_a_struct_with_an_array_inside_cannot_be_laid_out() -> None:
    text = "api 1 Thing versions 0 flexible none\nrequest\nresponse\n  Rows Row[]\n    Cells i32[]\n"
    api = parse_api(text, "thing.api")
    with pytest.raises(SchemaError, match="ThingResponseRow: only a struct of numbers, texts and octets"):
        ItemFunctions(api, structs_of(api.response.root)[0], lambda *_: [])


def test_raw_items_print_and_compare_by_count_and_octets() -> None:
    assert repr(RawItems(2, b"ab")) == "RawItems(count=2, octets=b'ab')"
    assert len(RawItems(2, b"ab")) == 2
    assert RawItems(2, b"ab") == RawItems(2, b"ab") != RawItems(1, b"ab")
