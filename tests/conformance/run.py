"""Runs the scripts for people: records, compares live, replays; prints a table and every difference.

Scripts with equal settings share a broker. Returns exit codes, 0 only when nothing differs that is not listed.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager

from tests.conformance import authorization, exchange, exchange_transactions, kafka
from tests.conformance.authorization import TRANSACTIONAL, UNPREPARED
from tests.conformance.compare import Difference, compare
from tests.conformance.kafka import Node
from tests.conformance.player import ANSWERED_TOO_EARLY, Broker
from tests.conformance.recording import read_recording, renew_recording
from tests.conformance.script import Script, all_scripts
from tests.conformance.stage import SETTINGS, Play, play_all, prepare

Runner = Callable[[Mapping[str, str]], AbstractContextManager[Node]]


def record(only: str = "") -> int:
    try:
        plays = plays_of("Kafka", authorization.kafka_running, only)
    except kafka.KafkaMissing as error:
        print(error, file=sys.stderr)
        return 2
    wrong = [(play, each) for play in plays for each in play.answers if is_a_fault_of_the_script(each.got)]
    for play, each in wrong:
        print(f"{play.title} line {each.line}: {each.step}: {each.got}")
    if not wrong:
        renew_recording(plays)
    if not only and not wrong:
        exchange.record_directory()
        exchange_transactions.record_directory()
    answers = sum(len(each.answers) for each in plays)
    print(f"recorded {len(plays)} plays with {answers} answers; {len(wrong)} lines did not go as the script says")
    return 1 if wrong else 0


def is_a_fault_of_the_script(got: object) -> bool:
    """The script says who waits and who is answered: the real broker must agree with that."""
    return ANSWERED_TOO_EARLY in got if isinstance(got, dict) else str(got).startswith("failed:")


def compare_live(only: str = "") -> int:
    try:
        theirs = plays_of("Kafka", authorization.kafka_running, only)
    except kafka.KafkaMissing as error:
        print(f"{error}\nMuster is compared with the recording instead.", file=sys.stderr)
        return replay_all(only)
    ours = plays_of("Muster", authorization.muster_running, only)
    code = report(ours, {each.title: each for each in theirs})
    return code if only else max(code, report_exchange())


def report_exchange() -> int:
    """Each broker on what the other wrote."""
    print()
    wrong = [*exchange.check_exchange(), *exchange_transactions.check_transactions()]
    print("\n".join(wrong) or "each serves what the other wrote")
    return 1 if wrong else 0


def replay_all(only: str = "") -> int:
    ours = plays_of("Muster", authorization.muster_running, only)
    theirs = {title: play for script in all_scripts() for title, play in read_recording(script.name).items()}
    return report(ours, theirs)


def plays_of(name: str, running: Runner, only: str = "") -> list[Play]:
    plays: list[Play] = []
    for settings, scripts in scripts_by_settings(only):
        began = time.monotonic()
        with running(settings) as node:
            untouched = Broker(name, node.host, node.port, {})
            broker = (
                untouched if UNPREPARED in settings else prepare(name, node.host, node.port, TRANSACTIONAL in settings)
            )
            ready = time.monotonic()
            plays += play_all(broker, scripts, only)
        names = ", ".join(each.name for each in scripts)
        print(f"{name}: {names}: ready in {ready - began:.1f} s, played in {time.monotonic() - ready:.1f} s")
    return plays


def scripts_by_settings(only: str = "") -> Iterator[tuple[dict[str, str], list[Script]]]:
    groups: dict[tuple[tuple[str, str], ...], list[Script]] = {}
    for script in all_scripts():
        if any(only in f"{script.name}-{each.key}" for each in script.scenarios):
            groups.setdefault(tuple(sorted((SETTINGS | script.settings).items())), []).append(script)
    for settings, scripts in groups.items():
        yield dict(settings), scripts


def report(ours: list[Play], theirs: dict[str, Play]) -> int:
    rows: dict[str, list[int]] = {}
    faults: list[Difference] = []
    accepted: dict[str, list[Difference]] = {}
    for play in ours:
        row = rows.setdefault(play.script, [0, 0, 0, 0])
        row[0] += 1
        row[1] += len(play.answers)
        other = theirs.get(play.title)
        if other is None:
            print(f"{play.title} is not in the recording: renew it with `make conformance-record`")
            row[3] += 1
            continue
        for each in compare(play, other):
            deviation = each.accepted
            if deviation is None:
                faults.append(each)
                row[3] += 1
            else:
                accepted.setdefault(deviation.reason, []).append(each)
                row[2] += 1
    for fault in faults:
        print(fault)
    print_table(rows)
    for reason, which in accepted.items():
        print(f"accepted, {len(which)} fields: {reason}")
    return 1 if any(row[3] for row in rows.values()) else 0


def print_table(rows: Mapping[str, list[int]]) -> None:
    print(f"\n{'script':24}{'plays':>8}{'answers':>9}{'accepted':>10}{'different':>11}")
    for name, row in sorted(rows.items()):
        print(f"{name:24}{row[0]:8}{row[1]:9}{row[2]:10}{row[3]:11}")
