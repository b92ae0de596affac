"""The controls of the test kit as HTTP pages, for tests in other languages. docs/testing.md lists them.

Translates between JSON and the `Kit`, in the broker's loop; decides nothing. Unknown fields are refused, so that a misspelt one is
noticed.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Coroutine, Mapping
from http import HTTPStatus
from typing import Any, TypeAlias

from muster.testing import topic_records
from muster.testing.control_fields import (
    UNITS_MS,
    configs,
    fields_of,
    number,
    record_part,
    text,
    text_or_none,
    timeout,
    whole,
)
from muster.testing.control_http import Asked, Refused
from muster.testing.control_openapi import openapi
from muster.testing.faults import Fault
from muster.testing.group_views import GroupView
from muster.testing.group_waits import WaitTimeout, Wanted
from muster.testing.kit import Kit

Page: TypeAlias = Callable[..., Coroutine[Any, Any, object]]

_REQUEST_FAULTS = ("error", "delay", "drop_request", "drop_reply")
_MARKERS_HELD = "hold_markers"
_REVOCATION_HELD = "hold_revocation"
_COORDINATOR_FAULTS = {"coordinator_loading": "loading", "coordinator_moved": "moved"}


class ControlRoutes:
    def __init__(self, kit: Kit) -> None:
        self._kit = kit
        self.pages: dict[str, Page] = {
            "GET /": self._list,
            "GET /openapi.json": self._openapi,
            "POST /reset": self._reset,
            "GET /clock": self._clock,
            "POST /clock/advance": self._advance,
            "POST /clock/freeze": self._freeze,
            "POST /clock/thaw": self._thaw,
            "POST /topics": self._create_topic,
            "DELETE /topics/{topic}": self._delete_topic,
            "GET /topics/{topic}/records": self._records,
            "POST /topics/{topic}/records": self._produce,
            "GET /groups": self._groups,
            "GET /groups/{group}": self._group,
            "GET /groups/{group}/wait": self._wait,
            "GET /groups/{group}/offsets": self._offsets,
            "GET /groups/{group}/pending-offsets": self._pending_offsets,
            "GET /groups/{group}/journal": self._journal,
            "GET /groups/{group}/explain": self._explain,
            "POST /groups/{group}/rebalance": self._rebalance,
            "POST /groups/{group}/expire": self._expire,
            "POST /groups/{group}/fence": self._fence,
            "POST /groups/{group}/move-coordinator": self._move,
            "GET /transactions": self._transactions,
            "GET /transactions/{id}": self._transaction,
            "GET /transactions/{id}/wait": self._wait_for_transaction,
            "POST /transactions/{id}/expire": self._expire_transaction,
            "POST /transactions/{id}/move-coordinator": self._move_transaction,
            "GET /faults": self._faults,
            "POST /faults": self._add_fault,
            "DELETE /faults": self._clear,
            "DELETE /faults/{id}": self._remove,
        }

    async def answer(self, asked: Asked) -> object:
        known_path = False
        for pattern, page in self.pages.items():
            method, _, path = pattern.partition(" ")
            names = _matched(path, asked.path)
            if names is not None:
                known_path = True
                if method == asked.method:
                    return await page(asked, *names)
        where = f"{asked.method} /{'/'.join(asked.path)}"
        if known_path:
            raise Refused(HTTPStatus.METHOD_NOT_ALLOWED, f"{where} is not possible; GET / lists what is")
        raise Refused(HTTPStatus.NOT_FOUND, f"there is no {where}; GET / lists what there is")

    async def _list(self, asked: Asked) -> object:
        return {"pages": list(self.pages)}

    async def _openapi(self, asked: Asked) -> object:
        return openapi(self.pages)

    async def _reset(self, asked: Asked) -> object:
        fields_of(asked.body)
        await self._kit.reset()
        return await self._clock(asked)

    # -- clock

    async def _clock(self, asked: Asked) -> object:
        return {"now_ms": self._kit.clock.now_ms(), "frozen": self._kit.clock.is_frozen}

    async def _advance(self, asked: Asked) -> object:
        fields = fields_of(asked.body, *UNITS_MS, "keep_connected")
        duration_ms = round(sum(number(fields, unit) * size for unit, size in UNITS_MS.items()))
        await self._kit.advance(duration_ms, keep_connected=bool(fields.get("keep_connected")))
        return await self._clock(asked)

    async def _freeze(self, asked: Asked) -> object:
        self._kit.clock.freeze()
        return await self._clock(asked)

    async def _thaw(self, asked: Asked) -> object:
        self._kit.clock.thaw()
        return await self._clock(asked)

    # -- topics

    async def _create_topic(self, asked: Asked) -> object:
        fields = fields_of(asked.body, "name", "partitions", "configs")
        name, partitions = text(fields, "name"), whole(fields, "partitions")
        count = 1 if partitions is None else partitions
        topic_records.create_topic(self._kit.node, name, count, configs(fields))
        await self._kit.settle()
        return {"name": name, "partitions": count}

    async def _delete_topic(self, asked: Asked, topic: str) -> object:
        topic_records.delete_topic(self._kit.node, topic)
        await self._kit.settle()
        return {"deleted": topic}

    async def _produce(self, asked: Asked, topic: str) -> object:
        fields = fields_of(asked.body, "records", "partition")
        records = fields.get("records")
        if not isinstance(records, list):
            raise ValueError('records must be a list of {"key": ..., "value": ...}')
        pairs = [(record_part(each, "key"), record_part(each, "value")) for each in records]
        where = topic_records.append(self._kit.node, topic, pairs, whole(fields, "partition"))
        await self._kit.settle()
        return {"records": [{"partition": partition, "offset": offset} for partition, offset in where]}

    async def _records(self, asked: Asked, topic: str) -> object:
        found = topic_records.read(self._kit.node, topic, whole(fields_of(asked.query, "partition"), "partition"))
        return {
            "records": [
                {
                    "partition": record.partition,
                    "offset": record.offset,
                    "timestamp_ms": record.timestamp_ms,
                    **_shown("key", record.key),
                    **_shown("value", record.value),
                }
                for record in found
            ]
        }

    # -- groups

    async def _groups(self, asked: Asked) -> object:
        return {"groups": [view.to_json() for view in self._kit.groups()]}

    async def _group(self, asked: Asked, group: str) -> object:
        return self._kit.view(group).to_json()

    async def _wait(self, asked: Asked, group: str) -> object:
        query = fields_of(asked.query, "state", "members", "generation", "timeout")
        wanted = Wanted(query.get("state"), whole(query, "members"), whole(query, "generation"))
        try:
            view: GroupView = await self._kit.wait(group, wanted, timeout(query))
        except WaitTimeout as late:
            raise Refused(HTTPStatus.REQUEST_TIMEOUT, str(late)) from None
        return view.to_json()

    async def _offsets(self, asked: Asked, group: str) -> object:
        offsets = self._kit.offsets(group).items()
        return {"offsets": [{"topic": topic, "partition": index, "offset": at} for (topic, index), at in offsets]}

    async def _pending_offsets(self, asked: Asked, group: str) -> object:
        return {"pending": [each.to_json() for each in self._kit.pending_offsets(group)]}

    async def _journal(self, asked: Asked, group: str) -> object:
        return {"events": [event.to_json() for event in self._kit.journal(group)]}

    async def _explain(self, asked: Asked, group: str) -> object:
        return {"lines": self._kit.explain(group)}

    async def _rebalance(self, asked: Asked, group: str) -> object:
        self._kit.force_rebalance(group)
        return self._kit.view(group).to_json()

    async def _expire(self, asked: Asked, group: str) -> object:
        member_id = self._kit.expire(group, text(fields_of(asked.body, "member"), "member"))
        return {"expired": member_id}

    async def _fence(self, asked: Asked, group: str) -> object:
        return self._kit.fence(group, text(fields_of(asked.body, "member"), "member")).to_json()

    async def _move(self, asked: Asked, group: str) -> object:
        await self._kit.move_coordinator(group)
        return self._kit.view(group).to_json()

    # -- transactions

    async def _transactions(self, asked: Asked) -> object:
        return {"transactions": [view.to_json() for view in self._kit.transactions.all()]}

    async def _transaction(self, asked: Asked, name: str) -> object:
        return self._kit.transactions.view(name).to_json()

    async def _wait_for_transaction(self, asked: Asked, name: str) -> object:
        query = fields_of(asked.query, "state", "timeout")
        try:
            view = await self._kit.transactions.wait(name, text(query, "state"), timeout(query))
        except WaitTimeout as late:
            raise Refused(HTTPStatus.REQUEST_TIMEOUT, str(late)) from None
        return view.to_json()

    async def _expire_transaction(self, asked: Asked, name: str) -> object:
        self._kit.transactions.expire(name)
        await self._kit.settle()
        return self._kit.transactions.view(name).to_json()

    async def _move_transaction(self, asked: Asked, name: str) -> object:
        await self._kit.transactions.move_coordinator(name)
        return self._kit.transactions.view(name).to_json()

    # -- faults

    async def _faults(self, asked: Asked) -> object:
        return {"faults": [fault.to_json() for fault in self._kit.faults]}

    async def _add_fault(self, asked: Asked) -> object:
        fields = fields_of(
            asked.body, "kind", "api", "group", "member", "transactional_id", "error", "seconds", "times", "after"
        )
        kind = text(fields, "kind")
        if kind == _MARKERS_HELD:
            after = int(number(fields, "after"))
            return self._kit.transactions.hold_markers(text(fields, "transactional_id"), after).to_json()
        if kind == _REVOCATION_HELD:
            return self._kit.hold_revocation(text(fields, "group"), text_or_none(fields, "member")).to_json()
        if fields.get("member") is not None:
            raise ValueError(f"member is for {_REVOCATION_HELD}; {kind} is of a whole group")
        if kind in _COORDINATOR_FAULTS:
            seconds = fields.get("seconds")
            duration_ms = None if seconds is None else round(1000 * number(fields, "seconds"))
            return self._kit.take_coordinator(_COORDINATOR_FAULTS[kind], text(fields, "group"), duration_ms).to_json()
        if kind not in _REQUEST_FAULTS:
            known = ", ".join((*_REQUEST_FAULTS, *_COORDINATOR_FAULTS, _MARKERS_HELD, _REVOCATION_HELD))
            raise ValueError(f"{kind!r} is no kind of fault; known are {known}")
        return self._kit.faults.add(
            kind,  # type: ignore[arg-type]
            text(fields, "api"),
            group=text_or_none(fields, "group"),
            transactional_id=text_or_none(fields, "transactional_id"),
            error=_error(fields) if kind == "error" else 0,
            delay_ms=round(1000 * number(fields, "seconds")),
            times=whole(fields, "times") if "times" in fields else 1,
        ).to_json()

    async def _remove(self, asked: Asked, number: str) -> object:
        fault: Fault | None = self._kit.faults.get(int(number)) if number.isdecimal() else None
        if fault is None:
            raise Refused(HTTPStatus.NOT_FOUND, f"there is no fault {number}; GET /faults lists them")
        await self._kit.remove(fault)
        return fault.to_json()

    async def _clear(self, asked: Asked) -> object:
        await self._kit.remove_all()
        return await self._faults(asked)


def _matched(pattern: str, path: tuple[str, ...]) -> list[str] | None:
    """What stands where the pattern has {names}; None if it is another path."""
    parts = [part for part in pattern.split("/") if part]
    if len(parts) != len(path):
        return None
    names = []
    for part, given in zip(parts, path, strict=True):
        if part.startswith("{"):
            names.append(given)
        elif part != given:
            return None
    return names


def _error(fields: Mapping[str, Any]) -> int | str:
    value = fields.get("error")
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise ValueError("error must be given, as a code or Kafka's name of it")
    return value


def _shown(name: str, part: bytes | None) -> dict[str, str | None]:
    if part is None:
        return {name: None}
    try:
        return {name: part.decode()}
    except UnicodeDecodeError:
        return {f"{name}_base64": b64encode(part).decode()}
