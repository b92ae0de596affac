"""`make generate`: every schema in `schemas/` becomes a module in src/muster/wire/generated, plus their index.

Decides which versions share a function; how a function is written is the dialect's. The hot APIs become three modules:
their classes, and codecs for these in each of the two dialects.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final

from tools.codecs.dialects.classes import class_lines
from tools.codecs.dialects.interface import WHERE, Dialect
from tools.codecs.dialects.native_dialect import NativeDialect
from tools.codecs.dialects.struct_dialect import StructDialect
from tools.codecs.notation import parse_api
from tools.codecs.schema import Api, Message, SchemaError, structs_of

HERE: Final = Path(__file__).parent
SCHEMAS: Final = HERE / "schemas"
GENERATED: Final = HERE.parents[1] / "src" / "muster" / "wire" / "generated"
BANNER: Final = "Generated from tools/codecs/schemas/{name} by `make generate`; changes belong there."
HOT: Final = frozenset(
    {
        "ConsumerGroupHeartbeat",
        "DescribeGroups",
        "EndTxn",
        "ListGroups",
        "Heartbeat",
        "JoinGroup",
        "LeaveGroup",
        "OffsetCommit",
        "OffsetFetch",
        "Produce",
        "SyncGroup",
        "TxnOffsetCommit",
    }
)
"""What a coordinator is asked again and again. These are compiled (`setup.py`): a handler that touches interpreted message
classes would lose what the codec gains."""


SERVER_SIDE: Final = frozenset({("request", "decode"), ("response", "encode")})
BOTH_SIDES: Final = SERVER_SIDE | {("request", "encode"), ("response", "decode")}
"""What clients need is not compiled: to build it would take as long again."""


def load_apis(folder: Path = SCHEMAS) -> list[Api]:
    """All schemas, in the order of their keys."""
    apis: dict[int, Api] = {}
    for path in sorted(folder.glob("*.api")):
        api = parse_api(path.read_text(encoding="utf-8"), path.name)
        if path.stem != api.module_name:
            raise SchemaError(f"{path.name}: describes {api.name}, so it has to be called {api.module_name}.api")
        if api.key in apis:
            raise SchemaError(f"{path.name}: key {api.key} already belongs to {apis[api.key].name}")
        apis[api.key] = api
    return [apis[key] for key in sorted(apis)]


def generated_files(apis: list[Api]) -> dict[str, str]:
    """File name -> text of everything in `generated/`."""
    files = {"index.py": index_text(apis), "__init__.py": PACKAGE_TEXT}
    for api in apis:
        if api.name in HOT:
            files[f"{api.module_name}.py"] = classes_text(api)
            files[f"{api.module_name}_struct.py"] = codecs_text(api, StructDialect(by_constructor=True), BOTH_SIDES)
            files[f"{api.module_name}_native.py"] = codecs_text(api, NativeDialect(), SERVER_SIDE)
        else:
            files[f"{api.module_name}.py"] = module_text(api, StructDialect())
    return files


PACKAGE_TEXT: Final = '"""Codecs written by `make generate`, one module per API. Use `muster.wire.apis`."""\n'


def index_text(apis: list[Api]) -> str:
    rows = "".join(
        f'    ({api.key}, "{api.name}", "{api.module_name}", {api.versions.low}, {api.versions.high},'
        f" {_flexible_from(api)}),\n"
        for api in apis
    )
    return (
        f'"""{BANNER.format(name="*.api")}"""\n\n'
        "ROWS: tuple[tuple[int, str, str, int, int, int | None], ...] = (\n"
        "    # key, name, module, first version, last version, first flexible version\n"
        f"{rows})\n"
    )


def _flexible_from(api: Api) -> int | None:
    return api.flexible.low if api.flexible.low <= api.flexible.high else None


def module_text(api: Api, dialect: Dialect) -> str:
    """Classes and codecs in one."""
    functions, tables = _functions(api, dialect)
    return _text(api, [*_classes(api), *functions, tables], dialect.imports(), dialect.constants())


def classes_text(api: Api) -> str:
    structs = [struct for message in api.messages() for struct in structs_of(message.root)]
    classes = [class_lines(struct, compiled=True) for struct in structs]
    return _text(
        api, classes, ["from mypy_extensions import mypyc_attr", "", "from muster.wire.message import Message"], []
    )


def codecs_text(api: Api, dialect: Dialect, sides: frozenset[tuple[str, str]]) -> str:
    functions, tables = _functions(api, dialect, sides)
    names = sorted(struct.class_name for message in api.messages() for struct in structs_of(message.root))
    code = "\n".join(line for part in functions for line in part)
    used = [f"    {name}," for name in names if re.search(rf"\b{name}\b", code)]
    classes = [f"from muster.wire.generated.{api.module_name} import (", *used, ")"]
    return _text(api, [*functions, tables], [*classes, *dialect.imports()], dialect.constants())


def _classes(api: Api) -> list[list[str]]:
    return [class_lines(struct) for message in api.messages() for struct in structs_of(message.root)]


def _text(api: Api, parts: list[list[str]], imports: list[str], constants: list[str]) -> str:
    code = "".join("\n\n\n" + "\n".join(part) for part in parts) + "\n"
    if "NO_UUID" in code:
        constants = [*constants, "NO_UUID: Final = bytes(16)"]
    head = [f'"""{BANNER.format(name=api.module_name + ".api")}"""', "", "from __future__ import annotations", ""]
    standard = ["from collections.abc import Sequence"] if "Sequence[" in code else []
    if "NO_UUID" in code:
        standard.append("from typing import Final")
    if standard:
        head += [*standard, ""]
    return "\n".join([*head, *imports, "", *constants]).rstrip() + code


def _functions(
    api: Api, dialect: Dialect, sides: frozenset[tuple[str, str]] = BOTH_SIDES
) -> tuple[list[list[str]], list[str]]:
    """The functions of a module, and the tables that say which version uses which."""
    functions: list[list[str]] = []
    tables: list[str] = []
    for message in api.messages():
        for kind, make_body in (("decode", dialect.decode_body), ("encode", dialect.encode_body)):
            if (message.direction, kind) not in sides:
                continue
            table: list[str] = []
            for versions, body in _shared_bodies(api, message, make_body):
                name = f"{kind}_{message.direction}_v{versions[0]}"
                functions.append(_function(api, message, kind, name, versions, body))
                table += [f"    {version}: {name}," for version in versions]
            tables += [f"{message.direction.upper()}_{kind.upper()}RS = {{", *table, "}"]
    return [*dialect.item_functions(), *functions], tables


def _shared_bodies(
    api: Api, message: Message, make_body: Callable[[Api, Message, int], list[str]]
) -> Iterable[tuple[list[int], list[str]]]:
    """Versions whose code is the same text are one function."""
    by_text: dict[str, tuple[list[int], list[str]]] = {}
    for version in api.version_numbers():
        body = make_body(api, message, version)
        by_text.setdefault("\n".join(body), ([], body))[0].append(version)
    return by_text.values()


def _function(api: Api, message: Message, kind: str, name: str, versions: list[int], body: list[str]) -> list[str]:
    spoken = ranges(versions)
    where = f'"{api.name} {message.direction} v{spoken}"'
    class_name = message.root.class_name
    if kind == "decode":
        head = f"def {name}(buf: bytes, pos: int) -> {class_name}:"
    else:
        head = f"def {name}(message: {class_name}) -> bytes:"
    comment = [f"# versions {spoken}"] if len(versions) > 1 else []
    return [*comment, head, *("    " + line.replace(WHERE, where) for line in body)]


def ranges(versions: list[int]) -> str:
    """`0-2,4`: how a list of versions is said in comments and errors."""
    parts: list[list[int]] = []
    for version in versions:
        if parts and parts[-1][-1] == version - 1:
            parts[-1].append(version)
        else:
            parts.append([version])
    return ",".join(str(part[0]) if len(part) == 1 else f"{part[0]}-{part[-1]}" for part in parts)


def main() -> None:
    files = generated_files(load_apis())
    GENERATED.mkdir(exist_ok=True)
    for old in GENERATED.glob("*.py"):
        if old.name not in files:
            old.unlink()
    for name, text in files.items():
        (GENERATED / name).write_text(text, encoding="utf-8")
    print(f"{len(files)} modules written to {GENERATED}")


if __name__ == "__main__":
    main()
