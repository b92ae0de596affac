"""Finds the rules that bear upon one resource, among thousands, without looking at the others.

By resource type and exact name, or by prefix: a name has as many prefixes as there are lengths among the rules' prefixes.
Below that by principal. Knows nothing of operations, hosts and who wins: `authorizer` does.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TypeAlias

from muster.security.resources import ResourceType
from muster.security.rule import ANY, Rule

ByPrincipal: TypeAlias = dict[str, dict[Rule, int]]
"""Each rule with how often it was added: a file may say what an ACL says too."""


class RuleIndex:
    __slots__ = ("_exact", "_prefix_lengths", "_prefixes", "count")

    def __init__(self) -> None:
        self._exact: dict[tuple[ResourceType, str], ByPrincipal] = {}
        self._prefixes: dict[tuple[ResourceType, str], ByPrincipal] = {}
        self._prefix_lengths: dict[ResourceType, Counter[int]] = {}
        self.count = 0

    def add(self, rule: Rule) -> None:
        by_principal = self._places(rule).setdefault((rule.resource_type, rule.name), {})
        rules = by_principal.setdefault(rule.principal, {})
        rules[rule] = rules.get(rule, 0) + 1
        self.count += 1
        if rule.is_prefix:
            self._prefix_lengths.setdefault(rule.resource_type, Counter())[len(rule.name)] += 1

    def remove(self, rule: Rule) -> None:
        """Once; it must be there."""
        places, key = self._places(rule), (rule.resource_type, rule.name)
        by_principal = places[key]
        rules = by_principal[rule.principal]
        rules[rule] -= 1
        self.count -= 1
        if not rules[rule]:
            del rules[rule]
        if not rules:
            del by_principal[rule.principal]
        if not by_principal:
            del places[key]
        if rule.is_prefix:
            lengths = self._prefix_lengths[rule.resource_type]
            lengths[len(rule.name)] -= 1
            if not lengths[len(rule.name)]:
                del lengths[len(rule.name)]

    def naming(self, resource_type: ResourceType, name: str) -> Iterator[ByPrincipal]:
        """The rules for this name, for all names, and for every prefix of this name."""
        for exact in (name, ANY) if name != ANY else (ANY,):
            found = self._exact.get((resource_type, exact))
            if found is not None:
                yield found
        for length in self._prefix_lengths.get(resource_type, ()):
            if length <= len(name):
                found = self._prefixes.get((resource_type, name[:length]))
                if found is not None:
                    yield found

    def of_type(self, resource_type: ResourceType) -> Iterator[ByPrincipal]:
        for places in (self._exact, self._prefixes):
            for (kind, _), by_principal in places.items():
                if kind is resource_type:
                    yield by_principal

    def _places(self, rule: Rule) -> dict[tuple[ResourceType, str], ByPrincipal]:
        return self._prefixes if rule.is_prefix else self._exact
