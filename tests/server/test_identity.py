"""Whose data directory is it: cluster and node id in meta.properties."""

from __future__ import annotations

from uuid import RFC_4122, UUID

import pytest

from muster.server.identity import DOCUMENT, Identity, claim, random_id, random_uuid_text
from muster.topics.config_types import ConfigError


class Shelf:
    """Documents in memory."""

    def __init__(self, content: bytes | None = None) -> None:
        self.content = {} if content is None else {DOCUMENT: content}

    def read_document(self, name: str) -> bytes | None:
        return self.content.get(name)

    def write_document(self, name: str, content: bytes) -> None:
        self.content[name] = content


def fixed_id() -> str:
    return "fresh"


def test_a_new_directory_gets_the_operators_ids_in_kafkas_layout() -> None:
    shelf = Shelf()
    assert claim(shelf, 3, "mine", fixed_id) == Identity("mine", 3)
    assert shelf.content[DOCUMENT].splitlines() == [
        b"cluster.id=mine",
        b"directory.id=fresh",
        b"node.id=3",
        b"version=1",
    ]


def test_a_new_directory_without_a_wish_gets_a_fresh_cluster_id_and_keeps_it() -> None:
    shelf = Shelf()
    assert claim(shelf, 1, "", fixed_id) == Identity("fresh", 1)
    assert claim(shelf, 1, "", lambda: "another") == Identity("fresh", 1)


def test_a_directory_that_kafka_made_is_read() -> None:
    """Kafka writes a comment with the date first, and `broker.id` in version 0."""
    assert claim(Shelf(b"#\n#Mon Jan 01 2024\nversion=0\nbroker.id=1\ncluster.id=k\n"), 1, "", fixed_id) == Identity(
        "k", 1
    )


@pytest.mark.parametrize(
    ("node_id", "cluster_id", "problem"),
    [(1, "other", "belongs to cluster mine, not to other"), (2, "", "belongs to node 1, not to 2")],
)
def test_somebody_elses_directory_is_refused_and_left_as_it_is(node_id: int, cluster_id: str, problem: str) -> None:
    shelf = Shelf()
    claim(shelf, 1, "mine", fixed_id)
    before = dict(shelf.content)
    with pytest.raises(ConfigError, match=problem):
        claim(shelf, node_id, cluster_id, fixed_id)
    assert shelf.content == before


def test_a_document_without_a_cluster_id_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"has no cluster\.id"):
        claim(Shelf(b"node.id=1\n"), 1, "", fixed_id)


def test_random_ids_look_like_kafkas() -> None:
    ids = [random_id() for _ in range(200)]
    assert all(len(each) == 22 and not each.startswith("-") for each in ids)
    assert len(set(ids)) == 200


def test_random_uuids_are_of_version_4_and_printed_as_python_prints_them() -> None:
    texts = [random_uuid_text() for _ in range(200)]
    assert len(set(texts)) == 200
    for text in texts:
        assert str(UUID(text)) == text
        assert (UUID(text).version, UUID(text).variant) == (4, RFC_4122)
