"""The samples of all rounds as one table in Markdown: medians, ratios, limits, verdicts."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence

from bench.figures import FIGURES, Figure
from bench.stages import Sample

HEADINGS = (
    "figure", "unit", "Muster", "p50 / p99 ms", "Kafka", "p50 / p99 ms", "Muster / Kafka", "floor", "target", ""
)  # fmt: skip


def table(muster: Sequence[Sample], kafka: Sequence[Sample]) -> list[str]:
    rows = [_row(figure, _of(figure, muster), _of(figure, kafka)) for figure in FIGURES if _of(figure, muster)]
    return [_line(HEADINGS), _line("---" for _ in HEADINGS), *(_line(row) for row in rows)]


def not_met(muster: Sequence[Sample], kafka: Sequence[Sample]) -> list[str]:
    """The figures that miss their floor."""
    found = []
    for figure in FIGURES:
        ours = _of(figure, muster)
        if ours and figure.verdict(_median(ours), _median_or_none(_of(figure, kafka))) == "NOT MET":
            found.append(figure.name)
    return found


def _row(figure: Figure, muster: list[Sample], kafka: list[Sample]) -> list[str]:
    ours, theirs = _median(muster), _median_or_none(kafka)
    return [
        figure.name,
        figure.unit,
        f"{ours:,.{figure.decimals}f}",
        _latencies(muster),
        "not run" if theirs is None else f"{theirs:,.{figure.decimals}f}",
        _latencies(kafka),
        "" if theirs is None else f"{ours / theirs:.2f}",
        figure.limit_text(figure.floor),
        figure.limit_text(figure.target),
        figure.verdict(ours, theirs),
    ]


def _of(figure: Figure, samples: Iterable[Sample]) -> list[Sample]:
    return [sample for sample in samples if sample.figure is figure]


def _median(samples: list[Sample]) -> float:
    return statistics.median(sample.value for sample in samples)


def _median_or_none(samples: list[Sample]) -> float | None:
    return _median(samples) if samples else None


def _latencies(samples: list[Sample]) -> str:
    loads = [sample.load for sample in samples if sample.load is not None]
    if not loads:
        return ""
    p50, p99 = (statistics.median(values) / 1e3 for values in zip(*((x.p50_us, x.p99_us) for x in loads), strict=True))
    return f"{p50:.2f} / {p99:.2f}"


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"
