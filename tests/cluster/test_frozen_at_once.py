"""Every API of a node during one freeze of its database: what needs the database waits, all at once; all else is answered."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing
from pathlib import Path
from typing import NamedTuple

import pytest

from muster.server.handlers.table import SERVED
from muster.wire.errors import NONE
from tests.cluster.coordinator_requests import all_questions, prepare
from tests.cluster.database_requests import TAIL, Question, batch, errors_in, produce
from tests.cluster.frozen_stage import PATIENT, frozen, has_answer, joined, read_code, set_up
from tests.cluster.memory_requests import memory_questions
from tests.cluster.postgres_process import PostgresProcess
from tests.cluster.stage import ClusterStage
from tests.server.raw_client import RawClient, request_frame

WAITING = all_questions()
ANSWERED = memory_questions()
BEATS = 200
GRACE_SECONDS = 10.0
"""For an answer that has to come. Not waited out unless a test fails."""


class Seen(NamedTuple):
    meanwhile: Mapping[str, set[int]]
    """Error codes of what was answered before the database was back, by name."""
    afterwards: Mapping[str, set[int]]
    beats: list[int]
    """Their error codes. Each was answered before the database was back."""
    log: str


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Seen]:
    home: Path = tmp_path_factory.mktemp("frozen at once")
    settings = {**PATIENT, "group.initial.rebalance.delay.ms": "0"}
    with PostgresProcess() as database, ClusterStage(home, database, settings) as stage:
        epoch, prepared = set_up(stage), prepare(stage)
        stage.ask(1, "Produce", 9, produce(TAIL, 0, batch()))
        yield _look(stage, all_questions(epoch, prepared), memory_questions(prepared))


def _look(stage: ClusterStage, waiting: list[Question], answered: list[Question]) -> Seen:
    """Each has a connection of its own, and none its right order with another."""
    port = stage.nodes[1].port
    meanwhile, afterwards = {}, {}
    with ExitStack() as open_ones, closing(joined(stage, "beats")) as member:
        sent = [(each, open_ones.enter_context(RawClient(port))) for each in (*waiting, *answered)]
        for each, client in sent[: len(waiting)]:
            read_code(each, client)
        for each in answered:
            stage.ask(1, each.api, each.version, each.message)  # changes nothing, and its code is read too
        with frozen(stage.database):
            for each, client in sent:
                client.send(request_frame(each.api, each.version, each.message))
            beats = [member.beat(port) for _ in range(BEATS)]
            early = [pair for pair in sent[: len(waiting)] if has_answer(pair[1])]
            early += [pair for pair in sent[len(waiting) :] if has_answer(pair[1], GRACE_SECONDS)]
            for each, client in early:
                meanwhile[each.name] = set(errors_in(client.read(each.api, each.version)))
        for each, client in sent:
            if each.name not in meanwhile:
                afterwards[each.name] = set(errors_in(client.read(each.api, each.version)))
    return Seen(meanwhile, afterwards, beats, stage.nodes[1].log)


def test_both_lists_together_are_what_is_served() -> None:
    assert {each.api for each in (*WAITING, *ANSWERED)} == set(SERVED)


@pytest.mark.parametrize("question", WAITING, ids=[each.name for each in WAITING])
def test_what_needs_the_database_waits_and_is_served_when_it_is_back(seen: Seen, question: Question) -> None:
    assert question.name not in seen.meanwhile, "it was answered without the database"
    assert seen.afterwards[question.name] == {question.code}


@pytest.mark.parametrize("question", ANSWERED, ids=[each.name for each in ANSWERED])
def test_what_is_in_memory_is_answered_meanwhile(seen: Seen, question: Question) -> None:
    assert seen.meanwhile.get(question.name) == {question.code}


def test_heartbeats_need_nothing_of_the_database(seen: Seen) -> None:
    """All of them were answered while every request that needs it had been sent, and none of those was answered."""
    assert seen.beats == [NONE] * BEATS
    assert not {each.name for each in WAITING} & seen.meanwhile.keys()
    assert "Traceback" not in seen.log
