"""`ssl.principal.mapping.rules`: how the subject of a client's certificate becomes the name of a user (KIP-371).

    RULE:^CN=(.*?),.*$/$1/L, DEFAULT

Rules are tried in order; the first whose pattern matches the whole subject gives the name. DEFAULT takes the subject as it is.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_RULE = re.compile(r"RULE:(?P<pattern>(?:\\.|[^\\/])*)/(?P<replacement>(?:\\.|[^\\/])*)/(?P<case>[LU]?)")
_DEFAULT = "DEFAULT"


class MappingError(ValueError):
    """The rules cannot be read, or none fits a subject."""


@dataclass(slots=True, frozen=True)
class _Rule:
    pattern: re.Pattern[str] | None
    """None: DEFAULT."""
    replacement: str
    case: str

    def apply(self, subject: str) -> str | None:
        if self.pattern is None:
            return subject
        match = self.pattern.fullmatch(subject)
        if match is None:
            return None
        name = _expand(self.replacement, match)
        return {"L": name.lower(), "U": name.upper()}.get(self.case, name)


class PrincipalRules:
    def __init__(self, text: str = _DEFAULT) -> None:
        """MappingError says what is wrong with the text."""
        self._rules = tuple(_parse(text))

    def name_of(self, subject: str) -> str:
        for rule in self._rules:
            name = rule.apply(subject)
            if name is not None:
                return name
        raise MappingError(f"no rule of ssl.principal.mapping.rules matches {subject!r}")


def _parse(text: str) -> list[_Rule]:
    rules = []
    position = 0
    text = text.strip() or _DEFAULT
    while position < len(text):
        if text.startswith(_DEFAULT, position):
            rules.append(_Rule(None, "", ""))
            position += len(_DEFAULT)
        else:
            match = _RULE.match(text, position)
            if match is None:
                raise MappingError(f"expected DEFAULT or RULE:pattern/replacement/[LU] at {text[position:]!r}")
            rules.append(_rule(match))
            position = match.end()
        comma = re.compile(r"\s*(,\s*|$)").match(text, position)
        if comma is None:
            raise MappingError(f"expected a comma at {text[position:]!r}")
        position = comma.end()
    return rules


def _rule(match: re.Match[str]) -> _Rule:
    try:
        pattern = re.compile(match["pattern"])
    except re.error as error:
        raise MappingError(f"the pattern {match['pattern']!r} cannot be read: {error}") from None
    for number in re.findall(r"\$(\d)", match["replacement"]):
        if int(number) > pattern.groups:
            raise MappingError(f"${number} in {match['replacement']!r}: the pattern has {pattern.groups} groups")
    return _Rule(pattern, match["replacement"], match["case"])


def _expand(replacement: str, match: re.Match[str]) -> str:
    """Java's form: `$1` is a group, a backslash takes the next letter as it is."""

    def one(found: re.Match[str]) -> str:
        if found[1]:
            return match[int(found[1])] or ""
        return found[2]

    return re.sub(r"\$(\d)|\\(.)", one, replacement)
