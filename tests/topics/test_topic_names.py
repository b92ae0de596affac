"""Names and ids of topics."""

from __future__ import annotations

import pytest

from muster.topics.names import check_name, fresh_topic_id, id_from_text, id_text
from muster.topics.refusal import TopicError
from muster.wire.errors import INVALID_TOPIC_EXCEPTION


@pytest.mark.parametrize("name", ["a", "A.b_c-9", "x" * 249, "...", "__mine"])
def test_legal_names_pass(name: str) -> None:
    check_name(name)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("", "the empty string is not allowed"),
        (".", "'.' is not allowed"),
        ("..", "'..' is not allowed"),
        ("x" * 250, f"the length of '{'x' * 250}' is longer than the max allowed length 249"),
        ("a b", "'a b' contains one or more characters other than ASCII alphanumerics, '.', '_' and '-'"),
        ("käse", "'käse' contains one or more characters other than ASCII alphanumerics, '.', '_' and '-'"),
        ("a/b", "'a/b' contains one or more characters other than ASCII alphanumerics, '.', '_' and '-'"),
        ("a\n", "'a\n' contains one or more characters other than ASCII alphanumerics, '.', '_' and '-'"),
    ],
)
def test_an_illegal_name_is_refused_with_kafkas_reason(name: str, reason: str) -> None:
    with pytest.raises(TopicError) as refused:
        check_name(name)
    assert (refused.value.code, refused.value.message) == (
        INVALID_TOPIC_EXCEPTION,
        f"Topic name is invalid: {reason}",
    )


def test_an_id_survives_being_written_as_text() -> None:
    topic_id = bytes(range(16))
    assert id_text(topic_id) == "AAECAwQFBgcICQoLDA0ODw"
    assert id_from_text(id_text(topic_id)) == topic_id


@pytest.mark.parametrize("text", ["", "AAEC", "AAECAwQFBgcICQoLDA0OD!", "not an id at all"])
def test_text_that_is_no_id_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        id_from_text(text)


def test_a_fresh_id_is_a_version_4_uuid_that_does_not_look_like_an_option() -> None:
    """The first draw would begin with a dash (0xf8 is '-' in URL-safe base64), so there is a second."""
    draws = [bytes([0xF8]) + bytes(15), bytes([0xFF]) * 16]
    topic_id = fresh_topic_id(lambda size: draws.pop(0))
    assert draws == []
    assert topic_id[6] >> 4 == 4
    assert topic_id[8] >> 6 == 0b10
    assert not id_text(topic_id).startswith("-")
