"""A database that says nothing: only requests that need it wait, and heartbeats are answered meanwhile (docs/cluster.md)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from muster.wire.errors import (
    COORDINATOR_LOAD_IN_PROGRESS,
    COORDINATOR_NOT_AVAILABLE,
    KAFKA_STORAGE_ERROR,
    NONE,
    NOT_LEADER_OR_FOLLOWER,
)
from muster.wire.generated.find_coordinator import FindCoordinatorRequest
from tests.cluster.database_requests import Question, errors_in, questions
from tests.cluster.frozen_stage import PATIENT, RIGHTS, frozen, has_answer, joined, set_up
from tests.cluster.node_process import SETTINGS
from tests.cluster.postgres_process import PostgresProcess
from tests.cluster.stage import ClusterStage
from tests.interop.waiting import eventually
from tests.server.raw_client import RawClient, request_frame

NAMES = [each.name for each in questions(0)]
BEATS = 5
SHORT_LEASE_MS = 2_000


@pytest.fixture(scope="module")
def patient(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[ClusterStage, int]]:
    """A node whose lease is longer than any freeze, and an epoch before its present one."""
    home: Path = tmp_path_factory.mktemp("frozen")
    with PostgresProcess() as database, ClusterStage(home, database, PATIENT) as stage:
        yield stage, set_up(stage)


@pytest.mark.parametrize("name", NAMES)
def test_a_request_that_needs_the_database_waits_for_it_and_heartbeats_do_not(
    patient: tuple[ClusterStage, int], name: str
) -> None:
    stage, epoch = patient
    question = next(each for each in questions(epoch) if each.name == name)
    port = stage.nodes[1].port
    with closing(joined(stage, name)) as member, RawClient(port) as client:
        with frozen(stage.database):
            client.send(request_frame(question.api, question.version, question.message))
            assert [member.beat(port) for _ in range(BEATS)] == [NONE] * BEATS
            assert not has_answer(client), "it was answered without the database"
        answer = client.read(question.api, question.version)
    assert set(errors_in(answer)) == {NONE}, answer


def test_the_first_who_asks_for_a_coordinator_of_transactions_is_told_to_come_again_and_holds_nobody_up(
    patient: tuple[ClusterStage, int],
) -> None:
    """Its topic is made meanwhile, as soon as the database is back."""
    stage, _ = patient
    port = stage.nodes[1].port
    api, version, message = "FindCoordinator", 3, FindCoordinatorRequest("whoever asks first", key_type=1)
    with closing(joined(stage, "the first")) as member, frozen(stage.database):
        codes = [stage.ask(1, api, version, message).error_code for _ in range(2)]
        assert codes == [COORDINATOR_NOT_AVAILABLE] * 2
        assert [member.beat(port) for _ in range(BEATS)] == [NONE] * BEATS
    eventually("a coordinator", lambda: stage.ask(1, api, version, message).error_code, lambda code: code == NONE)


def test_a_client_that_goes_while_its_change_waits_leaves_the_node_as_it_was(
    patient: tuple[ClusterStage, int],
) -> None:
    stage, epoch = patient
    port = stage.nodes[1].port
    for_good = next(each for each in questions(epoch) if each.api == "AlterClientQuotas")
    with closing(joined(stage, "impatience")) as member:
        with frozen(stage.database):
            for each in questions(epoch):
                with RawClient(port) as impatient:
                    impatient.send(request_frame(each.api, each.version, each.message))
            assert member.beat(port) == NONE
        with RawClient(port) as client:
            answer: Any = client.ask(for_good.api, for_good.version, for_good.message)
        assert errors_in(answer) == [NONE]
    assert "Traceback" not in stage.nodes[1].log


@pytest.fixture(scope="module")
def impatient(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[ClusterStage, list[Question]]]:
    """A node that gives up soon."""
    home: Path = tmp_path_factory.mktemp("frozen for long")
    settings = {**SETTINGS, **RIGHTS, "muster.lease.ms": str(SHORT_LEASE_MS)}
    with PostgresProcess() as database, ClusterStage(home, database, settings) as stage:
        yield stage, questions(set_up(stage))


def test_a_database_that_says_nothing_for_longer_than_a_lease_is_a_retriable_error_and_all_is_well_when_it_is_back(
    impatient: tuple[ClusterStage, list[Question]],
) -> None:
    """Each has a connection of its own; a few of them find that the node leads nothing any more."""
    stage, asked = impatient
    port = stage.nodes[1].port
    clients = [(each, RawClient(port)) for each in asked]
    with frozen(stage.database):
        for each, client in clients:
            client.send(request_frame(each.api, each.version, each.message))
        answers = {each.name: errors_in(client.read(each.api, each.version)) for each, client in clients}
    for _, client in clients:
        client.close()
    for each in asked:
        codes = {COORDINATOR_LOAD_IN_PROGRESS} if each.api == "InitProducerId" else {KAFKA_STORAGE_ERROR}
        failed = set(answers[each.name]) - {NONE}
        assert failed, each.name
        assert failed <= codes | {NOT_LEADER_OR_FOLLOWER}, each.name
    with closing(joined(stage, "afterwards")) as member:
        assert member.beat(port) == NONE

    def serves(each: Question) -> bool:
        return set(errors_in(stage.ask(1, each.api, each.version, each.message))) == {NONE}

    for each in asked:
        if each.api in ("AlterConfigs", "AlterClientQuotas", "CreateAcls", "Fetch", "ListOffsets", "InitProducerId"):
            eventually(f"{each.name} to be served", lambda each=each: serves(each))  # type: ignore[misc]
    assert "Traceback" not in stage.nodes[1].log
