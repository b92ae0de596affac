"""Templates to markup: every value is escaped, and control characters in foreign names are shown instead of sent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import urlencode

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from muster.console.time_lag import Bracket
from muster.core.offsets.tracked_query import query_in
from muster.core.time_units import HOUR_MS, MINUTE_MS
from muster.explain.words import duration, moment, partitions, plain, plural

UNKNOWN: Final = Markup('<span class="unknown">not known</span>')
MOST_NAME: Final = 120


def shown(text: object) -> str:
    """A foreign name or sentence, fit for one line."""
    plain_text = plain(str(text))
    return plain_text if len(plain_text) <= MOST_NAME else plain_text[: MOST_NAME - 1] + "…"


def commit_note(metadata: str) -> str:
    """What a client wrote beside its commit. Of a tracked query of Spark (`muster.spark`): which micro-batch it is of."""
    query = query_in(metadata)
    return f"“{shown(metadata)}”" if query is None else f"micro-batch {query.batch_id} of a Spark query"


def count(number: int | None) -> str:
    return UNKNOWN if number is None else f"{number:,}"


def lag_sum(lag: int | None, unknown: int) -> str:
    """Of a group. A plus where the lag of some partitions is not known: the sum is at least that."""
    if lag is None or not unknown:
        return count(lag)
    why = f"at least: {plural(unknown, 'partition')} without a commit or a known end"
    return Markup('<span title="{}">{}+</span>').format(why, count(lag))


def signed(number: int | None) -> str:
    return UNKNOWN if number is None else "0" if number == 0 else f"{number:+,}".replace("-", "−")


def bracket(waited: Bracket | None) -> str:
    """A time lag in words that do not change with every look: to the second, then to the minute."""
    if waited is None or not waited.is_known:
        return UNKNOWN
    if waited.most_ms == 0:
        return "0 s"
    least = duration(_rounded(waited.least_ms))
    if waited.most_ms is None:
        return f"over {least}"
    most = duration(_rounded(waited.most_ms, up=True))
    if waited.least_ms < 1_000:
        return f"up to {most}"
    return most if most == least else f"{least} to {most}"


def _rounded(length_ms: int, *, up: bool = False) -> int:
    unit = 1_000 if length_ms < 5 * MINUTE_MS else MINUTE_MS if length_ms < 5 * HOUR_MS else HOUR_MS
    return (length_ms + (unit - 1 if up else 0)) // unit * unit


def when(at_ms: int | None) -> str:
    """A moment to the second in UTC, which the script turns into how long ago it was."""
    if at_ms is None:
        return UNKNOWN
    text = moment(at_ms)[:-4]
    return Markup('<time datetime="{}Z" data-at="{}" title="{} UTC">{}</time>').format(
        text.replace(" ", "T"), at_ms, moment(at_ms), text
    )


def iso(at_ms: int) -> str:
    """A moment as fields and addresses take it, to the second."""
    return moment(at_ms)[:19].replace(" ", "T")


def clock(at_ms: int) -> str:
    """The time of the day in UTC, to the second."""
    return moment(at_ms)[11:19]


def link(path: str, /, **query: object) -> str:
    """An address of this console; names in it may have any characters."""
    given = {name.rstrip("_"): value for name, value in query.items() if value not in (None, "")}
    return f"{path}?{urlencode(given)}" if given else path


class Renderer:
    def __init__(self, **everywhere: Any) -> None:
        self._environment = Environment(
            loader=PackageLoader("muster.console"),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            auto_reload=False,
        )
        filters = (shown, plain, commit_note, count, lag_sum, signed, bracket, when, iso, clock)
        self._environment.filters.update({each.__name__: each for each in filters})
        self._environment.filters["duration"] = duration
        self._environment.filters["ranges"] = partitions
        self._environment.globals.update(link=link, UNKNOWN=UNKNOWN, **everywhere)
        for name in self._environment.list_templates():
            self._environment.get_template(name)  # compiled now, so that nobody waits for it later

    def __call__(self, template: str, context: Mapping[str, Any]) -> str:
        return self._environment.get_template(template).render(context)
