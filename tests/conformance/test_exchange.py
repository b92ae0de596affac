"""Muster on a data directory that Apache Kafka 4.3.1 wrote: it serves Kafka's groups as Kafka does after a restart.

The directory and what Kafka showed of it were kept by `make conformance-record`; `make conformance` does the same live and
also lets Kafka serve what Muster wrote.
"""

from __future__ import annotations

import copy
import json
import tarfile
from pathlib import Path

import pytest

from tests.conformance import exchange, muster_node
from tests.conformance.compare import differences
from tests.conformance.stage import SETTINGS

pytestmark = pytest.mark.xdist_group("conformance")


@pytest.fixture(scope="module")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> exchange.View:
    """What Muster shows after it was started on Kafka's directory."""
    folder: Path = tmp_path_factory.mktemp("kafka-data")
    with tarfile.open(exchange.DIRECTORY) as archive:
        archive.extractall(folder, filter="data")
    with muster_node.running(SETTINGS, folder) as node:
        return exchange.ready_view(node)


def test_a_directory_that_kafka_wrote_is_served_as_kafka_serves_it(loaded: exchange.View) -> None:
    """Design, law 9: files on disk are Kafka's."""
    kafkas = json.loads(exchange.VIEW.read_text())

    assert list(differences(loaded, kafkas, "")) == []


def test_the_directory_holds_members_and_offsets_worth_comparing(loaded: exchange.View) -> None:
    """An empty view would agree with anything."""
    members = [member for group in loaded["described"].values() for member in group["members"]]
    topics = [topic for group in loaded["offsets"].values() for topic in group["topics"]]

    assert len(members) > 100
    assert len(topics) > 20


def test_a_single_changed_byte_of_an_assignment_shows(loaded: exchange.View) -> None:
    """The checker is proved by a mutation that it must catch."""
    changed = copy.deepcopy(loaded)
    group = next(each for each in changed["described"].values() if each["members"])
    group["members"][0]["member_assignment"] += "x"

    assert len(list(differences(loaded, changed, ""))) == 1
