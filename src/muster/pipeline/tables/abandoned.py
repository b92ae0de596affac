"""`g_abandoned`: groups that nobody seems to use, with a score from 0 to 1 and what speaks for it (analytics 2.9).

Only groups without members are candidates. A reader decides; nothing is deleted here.
"""

from __future__ import annotations

import polars as pl

from muster.pipeline.tables.columns import GROUP, Column, Frame, conform, is_true
from muster.pipeline.tables.settings import GoldSettings

_LONG = 7
"""So many times `abandoned_after_ms` give full weight."""
_GENERATED = r"^(console-consumer-\d+|.*[-_.]?[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|.*[-_.][0-9a-f]{16,})$"


def abandoned_groups(current: Frame, states: Frame, progress: Frame, lag: Frame, settings: GoldSettings) -> Frame:
    """`progress` says of each group whether any of its commits ever moved on (`moved`)."""
    last = current.group_by(GROUP).agg(last_commit_ms=pl.col("commit_ms").max(), _positions=pl.len())
    rows = (
        last.join(states.select(*GROUP, "n_members", "empty_since_ms"), on=GROUP, how="full", coalesce=True)
        .filter(pl.col("n_members").fill_null(0) == 0)
        .join(_behind(lag), on=GROUP, how="left")
        .join(progress, on=GROUP, how="left")
        .with_columns(**_weights(settings))
    )
    said = [pl.when(pl.col(name) > 0).then(f"{name}_said") for name in _NAMES]
    quiet = (pl.col("_silent") > 0) | (pl.col("_empty") > 0)
    return conform(
        rows.filter(quiet).with_columns(
            score=pl.sum_horizontal(_NAMES).round(3).clip(upper_bound=1.0),
            evidence=pl.concat_str(said, separator="; ", ignore_nulls=True),
        ),
        "g_abandoned",
    )


def _behind(lag: Frame) -> Frame:
    return lag.group_by(GROUP).agg(
        lag=pl.when(pl.col("lag").is_not_null().any()).then(pl.col("lag").sum()),
        _without_end=(pl.col("method") == "no_end").sum(),
        _growing=(pl.col("produce_rate") > 0).max(),
    )


_NAMES = ("_empty", "_silent", "_lagging", "_named", "_topicless", "_still")


def _weights(settings: GoldSettings) -> dict[str, Column]:
    after = settings.abandoned_after_ms
    empty_ms = settings.now_ms - pl.col("empty_since_ms")
    silent_ms = settings.now_ms - pl.col("last_commit_ms")
    growing = is_true(pl.col("_growing"))
    gone = (pl.col("_without_end") == pl.col("_positions")) & pl.col("_growing").is_not_null()
    lagging = pl.when(growing).then(0.15).otherwise(0.05)
    return {
        "_empty": _share(empty_ms, after, 0.3),
        "_empty_said": pl.concat_str(pl.lit("empty for "), _hours(empty_ms)),
        "_silent": _share(silent_ms, after, 0.3),
        "_silent_said": pl.concat_str(pl.lit("no commit for "), _hours(silent_ms)),
        "_lagging": pl.when(is_true(pl.col("lag") > 0)).then(lagging).otherwise(0.0),
        "_lagging_said": pl.concat_str(
            pl.lit("lag "),
            pl.col("lag").cast(pl.String),
            pl.when(growing).then(pl.lit(" and growing")).otherwise(pl.lit("")),
        ),
        "_named": pl.when(pl.col("group_id").str.contains(_GENERATED)).then(0.15).otherwise(0.0),
        "_named_said": pl.lit("its name looks generated"),
        "_topicless": pl.when(is_true(gone)).then(0.15).otherwise(0.0),
        "_topicless_said": pl.lit("no end offset is known of any of its topics"),
        "_still": pl.when(is_true(pl.col("moved"))).then(0.0).otherwise(0.1),
        "_still_said": pl.lit("never moved on"),
    }


def _share(ms: Column, after_ms: int, weight: float) -> Column:
    """Nothing before `after_ms`, half the weight then, all of it after seven times as long."""
    grown = (0.5 + (ms - after_ms) / (2.0 * (_LONG - 1) * after_ms)).clip(upper_bound=1.0)
    return pl.when(is_true(ms >= after_ms)).then(grown * weight).otherwise(0.0)


def _hours(ms: Column) -> Column:
    return pl.concat_str((ms / 3_600_000).round(1).cast(pl.String), pl.lit(" h"))
