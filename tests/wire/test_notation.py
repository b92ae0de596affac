"""The schema notation: what it says, and errors that name file, line and remedy."""

from __future__ import annotations

import pytest

from tools.codecs.notation import parse_api
from tools.codecs.schema import NO_VERSIONS, SchemaError, Versions, smallest_size, snake_case

HEAD = "api 7 Thing  versions 0-5  flexible 3+\n"


def api_of(request: str) -> str:
    return f"{HEAD}\nrequest\n{request}\nresponse\n  ErrorCode i16\n"


def test_a_schema_gives_key_name_versions_and_fields() -> None:
    api = parse_api(api_of("  GroupId  str?2+  1-4  = null   # a comment\n  Epoch i64 3+ = -1 tag 2"), "thing.api")
    assert (api.key, api.name, api.module_name) == (7, "Thing", "thing")
    assert (api.versions, str(api.flexible)) == (Versions(0, 5), "3+")
    group_id, epoch = api.request.root.fields
    assert (group_id.attribute, group_id.type_name, str(group_id.versions)) == ("group_id", "str", "1-4")
    assert (str(group_id.nullable), group_id.default, group_id.tag) == ("2+", "null", None)
    assert (epoch.tag, epoch.default, str(epoch.versions), epoch.nullable) == (2, "-1", "3-5", NO_VERSIONS)


def test_indented_lines_are_the_fields_of_a_struct_and_live_in_its_versions() -> None:
    api = parse_api(api_of("  Topics Topic[]? 2+\n    Name str\n    Parts i32[] 0-3\n  Last bool"), "thing.api")
    topics, last = api.request.root.fields
    assert topics.struct is not None
    assert (topics.is_array, topics.struct.class_name, last.name) == (True, "ThingRequestTopic", "Last")
    assert [str(each.versions) for each in topics.struct.fields] == ["2-5", "2-3"]


def test_a_struct_named_again_is_the_same_struct() -> None:
    api = parse_api(api_of("  From Place\n    Row i32\n  To Place"), "thing.api")
    there, back = api.request.root.fields
    assert there.struct is back.struct is not None


def test_flexible_none_means_no_version() -> None:
    api = parse_api("api 1 A versions 0 flexible none\nrequest\nresponse\n", "a.api")
    assert 0 not in api.flexible
    assert api.request.root.fields == []


def test_the_smallest_size_counts_lengths_and_the_tagged_section() -> None:
    api = parse_api(api_of("  A str\n  B i64\n  C bytes\n  D i32[]\n  E uuid 3+ tag 0"), "thing.api")
    assert smallest_size(api.request.root, 2, flexible=False) == 2 + 8 + 4 + 4
    assert smallest_size(api.request.root, 3, flexible=True) == 1 + 8 + 1 + 1 + 1


@pytest.mark.parametrize(
    ("camel", "snake"),
    [
        ("ThrottleTimeMs", "throttle_time_ms"),
        ("LastKnownElr", "last_known_elr"),
        ("TopicId", "topic_id"),
        ("Key", "key"),
    ],
)
def test_wire_names_become_python_names(camel: str, snake: str) -> None:
    assert snake_case(camel) == snake


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", r"thing.api: is empty; it has to start with"),
        ("  api 7 Thing versions 0 flexible 0+\n", r"thing.api:1: expected 'api KEY Name"),
        ("api x Thing versions 0 flexible 0+\n", r"thing.api:1: expected 'api KEY Name"),
        ("api 7 Thing versions 3-1 flexible 0+\n", r"thing.api:1: versions 3-1 is not a closed range"),
        ("api 7 Thing versions 0+ flexible 0+\n", r"thing.api:1: versions 0\+ is not a closed range"),
        (HEAD + "response\nrequest\n", r"thing.api:1: expected the sections 'request' and 'response' in this order"),
        (HEAD + "request\n", r"thing.api:1: expected the sections"),
        (HEAD + "  A i32\nrequest\nresponse\n", r"thing.api:2: a field has to stand under 'request'"),
        (api_of("  group_id str"), r"thing.api:4: expected 'Name type\[\]\? versions"),
        (api_of("  A i32\n B i32"), r"thing.api:5: indented by 1; fields of this struct stand at 2"),
        (api_of("  A i32\n    B i32"), r"thing.api:4: A is i32 and can have no fields under it"),
        (api_of("  A Topic[]\n      B i32"), r"thing.api:5: indented by 6; fields of this struct stand at 4"),
        (api_of("  A int32"), r"thing.api:4: unknown type 'int32'; one of bool, i8"),
        (api_of("  A Topic[]"), r"thing.api:4: struct Topic has no fields under it"),
        (api_of("  A T\n    X i8\n  B T\n    X i8"), r"thing.api:6: struct T is already described"),
        (api_of("  A i32\n  A i64"), r"thing.api:5: A is already a field of this struct"),
        (api_of("  A i32 6+"), r"thing.api:4: versions 6\+ share nothing with 0-5"),
        (api_of("  A str = null"), r"thing.api:4: A cannot be null, so null cannot be its default; write str\?"),
        (api_of("  A i32?"), r"thing.api:4: i32 has no null"),
        (api_of("  A str 2+ tag 0"), r"thing.api:4: tagged in versions 2-5, but flexible are only 3\+"),
        (api_of("  A str 3+ tag 0\n  B str 3+ tag 0"), r"thing.api:5: tag 0 is already taken"),
        (api_of("  A T? 3+ tag 0\n    B i32"), r"thing.api:4: a tagged struct that may be null is not supported"),
        (api_of("  A T[]\n    B i32 3+"), r"thing.api: elements of A have no bytes in version 0"),
    ],
)
def test_a_schema_that_makes_no_sense_is_refused_with_place_and_reason(text: str, problem: str) -> None:
    with pytest.raises(SchemaError, match=problem):
        parse_api(text, "thing.api")
