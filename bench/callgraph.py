"""Reads what valgrind's callgrind wrote: who cost how many instructions, and on whose behalf.

The compiled modules call each other and the interpreter's C functions. A function of ours is charged with what it does itself and
with what it lets the interpreter do for it (an object made, a dict asked), but not with what other functions of ours do below it.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

_NAMED = re.compile(r"\((\d+)\)(?: (.*))?")
_PASSES = 30
"""Until the share of our own code below each function of the interpreter has settled; recursion makes that a matter of rounds."""


@dataclass
class CallGraph:
    own: Counter[str] = field(default_factory=Counter)
    """Instructions of a function itself."""
    below: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    """caller -> callee -> instructions of the callee and of all below it, on behalf of the caller."""
    calls: Counter[str] = field(default_factory=Counter)

    @property
    def total(self) -> int:
        return sum(self.own.values())

    def charged(self, is_ours: Callable[[str], bool]) -> dict[str, float]:
        """Instructions by function of ours, as said above. What is missing in their sum was done on nobody's behalf."""
        foreign_share = self._foreign_share(is_ours)
        return {
            name: self.own[name]
            + sum(cost * foreign_share[callee] for callee, cost in self.below[name].items() if callee in foreign_share)
            for name in {*self.own, *self.below}
            if is_ours(name)
        }

    def _foreign_share(self, is_ours: Callable[[str], bool]) -> dict[str, float]:
        """For each function that is not ours: which part of its cost, with all below it, is not ours either."""
        foreign = [name for name in {*self.own, *self.below, *self.calls} if not is_ours(name)]
        whole = {name: self.own[name] + sum(self.below[name].values()) for name in foreign}
        share = dict.fromkeys(foreign, 1.0)
        for _ in range(_PASSES):
            for name in foreign:
                if whole[name]:
                    inside = sum(cost * share[callee] for callee, cost in self.below[name].items() if callee in share)
                    share[name] = (self.own[name] + inside) / whole[name]
        return share


def read(lines: Iterable[str]) -> CallGraph:
    graph = CallGraph()
    names: dict[str, str] = {}
    caller = callee = ""
    calls: int | None = None
    for line in lines:
        if line.startswith("fn="):
            caller = _name(line[3:], names)
        elif line.startswith("cfn="):
            callee = _name(line[4:], names)
        elif line.startswith("calls="):
            calls = int(line[6:].split()[0])
        elif line[:1].isdigit() or line[:1] in ("+", "-", "*"):
            cost = int(line.split()[1])
            if calls is None:
                graph.own[caller] += cost
            else:
                graph.below[caller][callee] += cost
                graph.calls[callee] += calls
                calls = None
    return graph


def _name(text: str, names: dict[str, str]) -> str:
    """Each name is written once, later only its number. What is called inside of itself has a name of its own, with a mark."""
    found = _NAMED.match(text.strip())
    assert found is not None, f"not a name as callgrind writes it: {text!r}"
    number, name = found.groups()
    if name:
        names[number] = name
    return names[number]
