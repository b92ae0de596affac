"""Words of a flag that Kafka spells in one way and people in many, such as states."""

from __future__ import annotations

from collections.abc import Sequence

from muster.cli.support.usage_error import UsageError
from muster.cli.support.usage_parser import did_you_mean


def chosen_words(given: list[str] | None, flag: str, known: Sequence[str]) -> list[str]:
    """Kafka's spelling of words that may be written in any case, with commas or repeated."""
    spelling = {word.lower(): word for word in known}
    chosen: list[str] = []
    for text in (part.strip() for each in given or [] for part in each.split(",")):
        word = spelling.get(text.replace("_", "").replace("-", "").lower())
        if word is None:
            near = did_you_mean(text.lower(), spelling)
            raise UsageError(f"{flag} {text}: no such word{near or '.'} There are {', '.join(known)}")
        chosen.append(word)
    return chosen
