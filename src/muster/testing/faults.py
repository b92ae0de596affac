"""Faults in group words: what goes wrong, for which requests, how often. A book of them that requests are held against.

Knows no bytes, no sockets and no groups beyond their ids; `interception` carries out what the book says about requests,
`coordinator_faults` what happens to the coordinator as a whole. Used from the loop's thread.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Final, Literal, TypeAlias

from muster.server.handlers.table import SERVED
from muster.testing.argument_checks import check_whole
from muster.wire import errors

FaultKind: TypeAlias = Literal[
    "error", "delay", "drop_request", "drop_reply", "loading", "moved", "markers_held", "revocation_held"
]

GROUP_APIS: Final = (
    "FindCoordinator",
    "JoinGroup",
    "SyncGroup",
    "Heartbeat",
    "LeaveGroup",
    "ConsumerGroupHeartbeat",
    "ConsumerGroupDescribe",
    "OffsetCommit",
    "OffsetFetch",
    "OffsetDelete",
    "DescribeGroups",
    "DeleteGroups",
    "AddOffsetsToTxn",
    "TxnOffsetCommit",
)
"""Requests that name groups: faults of these can be for one group alone."""

TRANSACTION_APIS: Final = (
    "InitProducerId",
    "AddPartitionsToTxn",
    "AddOffsetsToTxn",
    "TxnOffsetCommit",
    "EndTxn",
    "Produce",
)
"""Requests that name transactional ids: faults of these can be for one of them alone."""

ERROR_APIS: Final = (
    *GROUP_APIS,
    *TRANSACTION_APIS[:2],
    "EndTxn",
    "ListGroups",
    "Produce",
    "Fetch",
    "ListOffsets",
    "Metadata",
)
"""Where an error can be put in place of the answer."""


class UnusedFault(UserWarning):
    """A fault was switched on and nothing ever met it: the test shows less than it seems to."""


@dataclass(eq=False)
class Fault:
    """One thing that goes wrong. `uses` counts the requests it met; it is over when `left` is 0 or it was removed."""

    number: int
    kind: FaultKind
    api: str | None = None
    group: str | None = None
    transactional_id: str | None = None
    member: str | None = None
    """Member id: it is for requests of this member alone."""
    error: int = errors.NONE
    delay_ms: int = 0
    after: int = 0
    """Of markers that are held: how many are written all the same."""
    left: int | None = None
    """How many more requests it is for; None: any number."""
    uses: int = 0
    is_over: bool = False

    def meets(self, api: str, groups: Sequence[str], transactional_ids: Sequence[str], member_id: str | None) -> bool:
        return (
            not self.is_over
            and self.api == api
            and (self.group is None or self.group in groups)
            and (self.member is None or self.member == member_id)
            and (self.transactional_id is None or self.transactional_id in transactional_ids)
        )

    def use(self) -> None:
        self.uses += 1
        if self.left is not None:
            self.left -= 1
            self.is_over = self.left == 0

    def to_json(self) -> dict[str, object]:
        return {
            "id": self.number,
            "kind": self.kind,
            "api": self.api,
            "group": self.group,
            "transactional_id": self.transactional_id,
            "member": self.member,
            "error": errors.name_of(self.error) if self.kind == "error" else None,
            "delay_ms": self.delay_ms or None,
            "after": self.after if self.kind == "markers_held" else None,
            "left": self.left,
            "uses": self.uses,
            "is_over": self.is_over,
            "text": str(self),
        }

    def __str__(self) -> str:
        whose = f" of group {self.group}" if self.group is not None else ""
        whose += f" of transactional id {self.transactional_id}" if self.transactional_id is not None else ""
        whose += f" and member {self.member}" if self.member is not None else ""
        often = "" if self.left is None else f", {self.left} more times" if self.left else ", used up"
        match self.kind:
            case "error":
                what = f"{self.api}{whose} is answered {errors.name_of(self.error)}"
            case "delay":
                what = f"{self.api}{whose} waits {self.delay_ms} ms"
            case "drop_request":
                what = f"{self.api}{whose} is not done and not answered"
            case "drop_reply":
                what = f"{self.api}{whose} is done and not answered"
            case "loading":
                what = f"the coordinator{whose} is loading"
            case "moved":
                what = f"the coordinator{whose} is elsewhere"
            case "markers_held":
                what = f"markers{whose} are held back after the first {self.after}"
            case "revocation_held":
                what = f"partitions{whose} count as not given up"
        return f"{what}{often}"


class FaultBook:
    def __init__(self) -> None:
        self._numbers = count(1)
        self._faults: list[Fault] = []

    def add(
        self,
        kind: FaultKind,
        api: str | None = None,
        *,
        group: str | None = None,
        transactional_id: str | None = None,
        member: str | None = None,
        error: int | str = errors.NONE,
        delay_ms: int = 0,
        after: int = 0,
        times: int | None = None,
    ) -> Fault:
        if api is not None:
            check_api(kind, api, group, transactional_id)
        check_whole("times", times, 1, or_none=True)
        check_whole("after", after, 1)
        if after < 0:
            raise ValueError(f"so many markers cannot be written before the others are held: {after}")
        if times is not None and times < 1:
            raise ValueError(f"times must be 1 or more, or None for always; it is {times}")
        if delay_ms < 0:
            raise ValueError(f"a delay cannot be negative: {delay_ms} ms")
        number, code = next(self._numbers), error_code(error)
        fault = Fault(number, kind, api, group, transactional_id, member, code, delay_ms, after, times)
        self._faults.append(fault)
        return fault

    def take(
        self, api: str, groups: Sequence[str], transactional_ids: Sequence[str] = (), member_id: str | None = None
    ) -> tuple[int, Fault | None]:
        """What this request meets: how long it waits first, and the one fault that decides how it ends."""
        delay_ms, ending = 0, None
        for fault in self._faults:
            if not fault.meets(api, groups, transactional_ids, member_id):
                continue
            if fault.kind == "delay":
                delay_ms += fault.delay_ms
            elif ending is None:
                ending = fault
            else:
                continue  # its turn comes with a later request
            fault.use()
        return delay_ms, ending

    def holds_markers_of(self, transactional_id: str) -> Fault | None:
        for fault in self._faults:
            if fault.kind == "markers_held" and not fault.is_over and fault.transactional_id == transactional_id:
                return fault
        return None

    def holds_revocation_of(self, group: str, member_id: str) -> Fault | None:
        for fault in self._faults:
            is_on = fault.kind == "revocation_held" and not fault.is_over
            if is_on and fault.group == group and fault.member in (None, member_id):
                return fault
        return None

    def get(self, number: int) -> Fault | None:
        return next((fault for fault in self._faults if fault.number == number), None)

    def active(self) -> list[Fault]:
        return [fault for fault in self._faults if not fault.is_over]

    def unused(self) -> list[Fault]:
        return [fault for fault in self._faults if not fault.uses]

    def drop(self, fault: Fault) -> None:
        """It could not be switched on."""
        self._faults.remove(fault)

    def forget(self) -> None:
        """Begin a new page: nothing of what was is reported any more."""
        for fault in self._faults:
            fault.is_over = True
        self._faults.clear()

    def __iter__(self) -> Iterator[Fault]:
        return iter(tuple(self._faults))


def error_code(error: int | str) -> int:
    """A code or Kafka's name for it."""
    if isinstance(error, int):
        return error
    for code, name in errors.NAMES.items():
        if name == error.upper():
            return code
    raise ValueError(f"{error!r} is no error of Kafka's protocol; {_nearest(error.upper(), errors.NAMES.values())}")


def check_api(kind: FaultKind, api: str, group: str | None, transactional_id: str | None = None) -> None:
    allowed = ERROR_APIS if kind == "error" else SERVED
    if api not in allowed:
        what = "cannot be answered with an error" if api in SERVED else "is no API of this broker"
        raise ValueError(f"{api!r} {what}; {_nearest(api, allowed)}")
    if group is not None and api not in GROUP_APIS:
        raise ValueError(f"{api} names no group: leave group={group!r} out, or use one of {', '.join(GROUP_APIS)}")
    if transactional_id is not None and api not in TRANSACTION_APIS:
        known = ", ".join(TRANSACTION_APIS)
        raise ValueError(f"{api} names no transactional id: leave {transactional_id!r} out, or use one of {known}")


def _nearest(word: str, words: Iterable[str]) -> str:
    from difflib import get_close_matches

    known = list(words)
    close = get_close_matches(word, known, n=3) or sorted(known)
    return f"did you mean {' or '.join(close)}?" if len(close) <= 3 else f"known are {', '.join(close)}"
