"""`muster doctor`: what the answers of a lake cannot be trusted for, and what to do about it. Exit code 1 if there is a problem."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from muster.cli.exit_codes import DONE, FAILED
from muster.cli.lake import words
from muster.cli.lake.answers import (
    add_form_arguments,
    add_lake_argument,
    add_top_argument,
    print_rows,
    rows_wanted,
    run_on_lake,
)
from muster.cli.support.tables import Column

if TYPE_CHECKING:
    from muster.pipeline.lake.reader import Lake

_MANY_FILES = 500
_PROBLEM, _NOTE, _FINE = _WORST_FIRST = ("problem", "note", "fine")

_COLUMNS = (
    Column("check", "check"),
    Column("verdict", "verdict"),
    Column("found", "found"),
    Column("what to do", "advice"),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_lake_argument(parser)
    add_top_argument(parser)
    add_form_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    def work() -> int:
        from muster.pipeline.lake.reader import Lake

        top = rows_wanted(arguments)
        checks = sorted(examine(Lake.open(arguments.lake)), key=lambda check: _WORST_FIRST.index(str(check["verdict"])))
        print_rows(arguments, _COLUMNS, list(checks[0]), checks[: top or None])
        return FAILED if any(check["verdict"] == _PROBLEM for check in checks) else DONE

    return run_on_lake("doctor", work)


def examine(lake: Lake) -> Iterator[dict[str, str | None]]:
    yield _check("files", *_files(lake))
    yield _check("tables", *_tables(lake))
    yield _check("small files", *_small_files(lake))
    if lake.round.gold_round is None:
        return
    quality = lake.arrow("g_data_quality").to_pylist()
    yield _check("quarantine", *_quarantine(lake, quality))
    yield _check("unknown records", *_unknown(quality))
    yield _check("holes in the log", *_holes(quality))
    yield _check("open transactions", *_open_transactions(lake, quality))


def _check(name: str, verdict: str, found: str, advice: str | None = None) -> dict[str, str | None]:
    return {"check": name, "verdict": verdict, "found": found, "advice": advice}


def _files(lake: Lake) -> tuple[str, str, str | None]:
    from muster.pipeline.lake.files import sizes_on_store
    from muster.pipeline.lake.location import table_directory

    named = {
        f"{table_directory(table)}/{file.path}": file.size for table in lake.tables for file in lake.table_files(table)
    }
    there = sizes_on_store(lake.location, lake.tables)
    bad = sorted(path for path, size in named.items() if there.get(path) != size)
    if bad:
        found = f"{words.plural(len(bad), 'file')} of {len(named):,} missing or changed, such as {bad[0]}"
        return _PROBLEM, found, "somebody else touched the lake: make it anew with `muster pipeline run --lake OTHER`"
    size = sum(named.values())
    return _FINE, f"{words.plural(len(named), 'file')}, {size / 1e6:,.1f} MB, round {lake.round.round}", None


def _tables(lake: Lake) -> tuple[str, str, str | None]:
    this = lake.round
    again = "run `muster pipeline run` again"
    if this.gold_round is None:
        return _PROBLEM, "the log was read, the tables were not yet made", again
    if this.gold_round < this.round:
        return _NOTE, "more was read since the tables were made", f"wait for the next ones, or {again}"
    if this.provisional:
        return _NOTE, "the log was not yet read to its end: everything is provisional", again
    return _FINE, f"made of everything that was read, as of {words.moment(this.gold_at_ms)} UTC", None


def _small_files(lake: Lake) -> tuple[str, str, str | None]:
    most = max((len(lake.table_files(table)) for table in lake.tables), default=0)
    found = f"at most {words.plural(most, 'file')} a table"
    if most > _MANY_FILES:
        return _NOTE, found, f"muster pipeline compact --lake {lake.location}"
    return _FINE, found, None


def _quarantine(lake: Lake, quality: list[dict[str, Any]]) -> tuple[str, str, str | None]:
    total = _sum(quality, "quarantined")
    if not total:
        return _FINE, "nothing", None
    first: list[dict[str, Any]] = next(
        (rows.slice(0, 1).to_pylist() for rows in lake.batches("b_quarantine") if rows.num_rows), []
    )
    example = f", such as {first[0]['where']}: {first[0]['reason']}" if first else ""
    return (
        _PROBLEM,
        f"{words.plural(total, 'record or batch')}{example}",
        "table b_quarantine has the bytes and the reasons",
    )


def _unknown(quality: list[dict[str, Any]]) -> tuple[str, str, str | None]:
    total = _sum(quality, "unknown_records")
    if not total:
        return _FINE, "none", None
    return _NOTE, f"{words.plural(total, 'record')} of types that are not decoded (share and streams groups)", None


def _holes(quality: list[dict[str, Any]]) -> tuple[str, str, str | None]:
    total = _sum(quality, "gaps")
    if not total:
        return _FINE, "none: history is whole from the first record on", None
    where = ", ".join(f"{row['log_topic']}-{row['log_partition']}" for row in quality if row["gaps"])
    advice = "rates and rebalances below the last hole are unknown, current offsets are right; read more often than compaction runs"
    return _NOTE, f"{total:,} in {where}", advice


def _open_transactions(lake: Lake, quality: list[dict[str, Any]]) -> tuple[str, str, str | None]:
    total = _sum(quality, "open_transactions")
    if not total:
        return _FINE, "none", None
    advice = "their offsets do not count; a transaction that stays open hangs: kafka-transactions.sh find-hanging"
    pending = sorted(lake.arrow("s_pending_offset").to_pylist(), key=lambda row: row["since_ms"])
    if not pending:
        return _NOTE, f"{total:,}", advice
    group, producer, since_ms = (pending[0][name] for name in ("group_id", "producer_id", "since_ms"))
    waits = f"group {words.name(group)} waits for producer {producer} since {words.moment(since_ms)} UTC"
    return _NOTE, f"{total:,}, {words.plural(len(pending), 'offset')} pending; {waits}", advice


def _sum(quality: list[dict[str, Any]], column: str) -> int:
    return sum(row[column] or 0 for row in quality)
