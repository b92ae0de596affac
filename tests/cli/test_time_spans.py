"""Spans and moments on the command line: one set of parsers for all commands."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from muster.cli.support.time_spans import parse_kafka_moment, parse_kafka_span, parse_moment, parse_span
from muster.cli.support.usage_error import UsageError

HOUR = 3_600_000
AT = 1_800_000_000_000


@pytest.mark.parametrize(
    ("text", "length_ms"),
    [("20ms", 20), ("1.5s", 1_500), ("30min", HOUR // 2), ("30m", HOUR // 2), ("2h", 2 * HOUR), ("7d", 168 * HOUR)],
)
def test_a_span_is_a_number_and_a_unit(text: str, length_ms: int) -> None:
    assert parse_span(text, "--within") == parse_kafka_span(text, "--within") == length_ms
    assert parse_moment(text, "--since", AT) == AT - length_ms


@pytest.mark.parametrize(
    ("text", "length_ms"),
    [
        ("P1D", 24 * HOUR),
        ("pt2h", 2 * HOUR),
        ("P1DT2H30M", 26 * HOUR + HOUR // 2),
        ("-PT0.5S", -500),
        ("+PT1M", 60_000),
    ],
)
def test_a_span_of_kafkas_tools_is_iso_8601(text: str, length_ms: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("muster.cli.support.time_spans.now_ms", lambda: AT)
    assert parse_kafka_span(text, "--by-duration") == length_ms
    assert parse_kafka_moment(text, "--since") == AT - length_ms


def test_a_moment_without_a_zone_is_utc() -> None:
    assert parse_moment("2027-01-15T08:00", "--since", 0) == AT
    assert parse_kafka_moment("2027-01-15T09:00+01:00", "--since") == AT


def test_a_moment_of_kafkas_tools_may_be_milliseconds() -> None:
    assert parse_kafka_moment(str(AT), "--to-datetime") == AT


@pytest.mark.parametrize(
    ("parse", "text", "why"),
    [
        (parse_span, "soon", "--flag soon: give a span like 90s, 30min, 2h or 7d"),
        (parse_span, "P1D", "--flag P1D: give a span like 90s, 30min, 2h or 7d"),
        (parse_kafka_span, "P", "--flag P: give a span like P1DT2H30M, 90s, 30min, 2h or 7d"),
        (parse_kafka_span, "", "--flag : give a span like P1DT2H30M, 90s, 30min, 2h or 7d"),
        (
            parse_kafka_moment,
            "yesterday",
            "--flag yesterday: give a span like 90s, 30min, 2h or 7d, or a UTC time like 2026-11-15T03:12",
        ),
    ],
)
def test_what_is_neither_is_refused_with_what_would_be(parse: Callable[[str, str], int], text: str, why: str) -> None:
    with pytest.raises(UsageError) as refused:
        parse(text, "--flag")
    assert str(refused.value) == why


@pytest.mark.parametrize(
    "text", ["99999999999999999d", "365001d", "9" * 400 + "d", "P99999999999999999D", "-P" + "9" * 400 + "D"]
)
@pytest.mark.parametrize("parse", [parse_kafka_span, parse_kafka_moment])
def test_a_span_that_no_table_and_no_request_can_hold_is_refused_with_its_bound(
    parse: Callable[[str, str], int], text: str
) -> None:
    with pytest.raises(UsageError, match=r"^--flag .{4,45}: give a span of at most 365000d, a thousand years$"):
        parse(text, "--flag")


@pytest.mark.parametrize("text", ["99999999999999999d", "9" * 400 + "h"])
def test_that_is_so_for_the_spans_of_all_commands(text: str) -> None:
    for ask in (lambda: parse_span(text, "--within"), lambda: parse_moment(text, "--since", AT)):
        with pytest.raises(UsageError, match="give a span of at most 365000d"):
            ask()


def test_a_thousand_years_are_taken() -> None:
    assert parse_span("365000d", "--within") == 365_000 * 24 * HOUR
    assert parse_kafka_span("-P365000D", "--by-duration") == -365_000 * 24 * HOUR
