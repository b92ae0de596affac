"""Describes the control pages in OpenAPI 3.1, for generators of clients and for people: `GET /openapi.json`, docs/openapi.json.

A table of what each page takes. `ControlRoutes` decides what there is; a test keeps the two equal.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from muster import __version__

_TEXT: Final = {"type": "string", "minLength": 1}
_COUNT: Final = {"type": "integer", "minimum": 0}
_NUMBER: Final = {"type": "number"}
_FLAG: Final = {"type": "boolean"}
_PART: Final = {"type": ["string", "null"]}
_RECORD: Final = {
    "type": "object",
    "properties": {"key": _PART, "value": _PART, "key_base64": _TEXT, "value_base64": _TEXT},
}
FAULT_KINDS: Final = (
    "error",
    "delay",
    "drop_request",
    "drop_reply",
    "coordinator_loading",
    "coordinator_moved",
    "hold_markers",
    "hold_revocation",
)
_FAULT: Final = {
    "kind": {"type": "string", "enum": list(FAULT_KINDS)},
    "api": _TEXT,
    "error": {"type": ["string", "integer"]},
    "times": {"type": ["integer", "null"], "minimum": 1},
    "group": _TEXT,
    "member": _TEXT,
    "transactional_id": _TEXT,
    "seconds": _NUMBER,
    "after": _COUNT,
}
_PATIENCE: Final = {"type": "number", "minimum": 0, "maximum": 3600}
_PARAMETER: Final = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True, slots=True)
class Described:
    """What one page does and takes."""

    summary: str
    body: Mapping[str, Any] = field(default_factory=dict)
    required: tuple[str, ...] = ()
    query: Mapping[str, Any] = field(default_factory=dict)


_MEMBER: Final = {"member": _TEXT}
_UNITS: Final = dict.fromkeys(("ms", "seconds", "minutes", "hours", "days"), _NUMBER)
PAGES: Final = {
    "GET /": Described("The list of all pages"),
    "GET /openapi.json": Described("This description"),
    "POST /reset": Described(
        "Forget everything: topics, groups, offsets, transactions, faults, the journal; the clock runs"
    ),
    "GET /clock": Described("What the clock shows"),
    "POST /clock/advance": Described("Move the clock forward", {**_UNITS, "keep_connected": _FLAG}),
    "POST /clock/freeze": Described("Let the clock stand still"),
    "POST /clock/thaw": Described("Let the clock run again"),
    "POST /topics": Described(
        "Create a topic",
        {"name": _TEXT, "partitions": {"type": "integer", "minimum": 1}, "configs": {"type": "object"}},
        ("name",),
    ),
    "DELETE /topics/{topic}": Described("Delete a topic"),
    "GET /topics/{topic}/records": Described("Read the records of a topic", query={"partition": _COUNT}),
    "POST /topics/{topic}/records": Described(
        "Append records", {"records": {"type": "array", "items": _RECORD}, "partition": _COUNT}, ("records",)
    ),
    "GET /groups": Described("All groups"),
    "GET /groups/{group}": Described("One group"),
    "GET /groups/{group}/wait": Described(
        "Wait until the group is as wanted; 408 says what happened instead",
        query={"state": _TEXT, "members": _COUNT, "generation": _COUNT, "timeout": _PATIENCE},
    ),
    "GET /groups/{group}/offsets": Described("Committed offsets"),
    "GET /groups/{group}/pending-offsets": Described("Offsets that open transactions would commit"),
    "GET /groups/{group}/journal": Described("What happened, as events"),
    "GET /groups/{group}/explain": Described("What happened, as lines"),
    "POST /groups/{group}/rebalance": Described("Begin a rebalance that no member asked for"),
    "POST /groups/{group}/expire": Described("End the session of a member", _MEMBER, ("member",)),
    "POST /groups/{group}/fence": Described("Fence a member of a consumer group", _MEMBER, ("member",)),
    "POST /groups/{group}/move-coordinator": Described("Unload the group's coordinator and load it from its log"),
    "GET /transactions": Described("All transactional ids"),
    "GET /transactions/{id}": Described("One transactional id"),
    "GET /transactions/{id}/wait": Described(
        "Wait for a state; 408 says what is instead", query={"state": _TEXT, "timeout": _PATIENCE}
    ),
    "POST /transactions/{id}/expire": Described("Let the open transaction time out"),
    "POST /transactions/{id}/move-coordinator": Described("Unload the id's coordinator and load it from its log"),
    "GET /faults": Described("All faults"),
    "POST /faults": Described("Add a fault", _FAULT, ("kind",)),
    "DELETE /faults": Described("Remove all faults"),
    "DELETE /faults/{id}": Described("Remove a fault"),
}


def openapi(pages: Iterable[str]) -> dict[str, Any]:
    """The description of these pages. KeyError if one of them is not described above."""
    paths: dict[str, dict[str, Any]] = {}
    for page in pages:
        method, _, path = page.partition(" ")
        paths.setdefault(path, {})[method.lower()] = _operation(path, PAGES[page])
    return {
        "openapi": "3.1.0",
        "info": {"title": "Muster test controls", "version": __version__, "license": {"name": "Apache-2.0"}},
        "paths": paths,
        "components": {"schemas": {"Error": {"type": "object", "required": ["error"], "properties": {"error": _TEXT}}}},
    }


def _operation(path: str, described: Described) -> dict[str, Any]:
    parameters = [_parameter("path", name, _TEXT, required=True) for name in _PARAMETER.findall(path)]
    parameters += [_parameter("query", name, schema, required=False) for name, schema in described.query.items()]
    operation: dict[str, Any] = {"summary": described.summary, "parameters": parameters, "responses": _RESPONSES}
    if described.body:
        schema = {
            "type": "object",
            "properties": dict(described.body),
            "required": list(described.required),
            "additionalProperties": False,
        }
        operation["requestBody"] = {"required": bool(described.required), "content": _json(schema)}
    return operation


def _parameter(place: str, name: str, schema: Any, *, required: bool) -> dict[str, Any]:
    return {"in": place, "name": name, "required": required, "schema": schema}


def _json(schema: Any) -> dict[str, Any]:
    return {"application/json": {"schema": schema}}


_RESPONSES: Final = {
    "200": {"description": "Done", "content": _json({"type": "object"})},
    "default": {
        "description": "What is wrong and what to do",
        "content": _json({"$ref": "#/components/schemas/Error"}),
    },
}
