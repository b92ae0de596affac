"""`muster` driven in a real terminal, at a server process of its own: tables, typing, Ctrl-C, passwords."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.cli.command import piped, terminal
from tests.cli.test_serve_command import serving


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with serving("--memory", "--set", "group.initial.rebalance.delay.ms=0") as (_, port):
        yield f"127.0.0.1:{port}"


def test_lines_are_typed_into_a_topic_and_read_beside_it(server: str) -> None:
    """Every line is written when it is typed: the reader sees it before the writer ends."""
    piped("topics", "create", "chat", bootstrap=server).done()
    with terminal("produce", "chat", bootstrap=server) as writer:
        writer.until("a line is a record of chat; Ctrl-D ends")
        with terminal("consume", "chat", "--from-beginning", "--group", "listeners", bootstrap=server) as reader:
            writer.type("hello \x1b there\n")
            reader.until("hello ")
            writer.type("again\n")
            reader.until("again\n")
            reader.type("\x03")
            assert reader.ended() == 130
            assert "Traceback" not in reader.shown
        writer.type("\x04")
        assert writer.ended() == 0
        assert "2 records" in writer.shown
    row = piped("groups", "offsets", "listeners", "--json", bootstrap=server).done().rows[0]
    assert (row["committed"], row["lag"], row["member_id"]) == (2, 0, None)


def test_a_table_on_a_terminal_says_what_a_pipe_says(server: str) -> None:
    piped("topics", "create", "tabled", "--partitions", "2", bootstrap=server).done()
    for question in (("groups", "list"), ("topics", "describe", "tabled")):
        told = piped(*question, bootstrap=server).done()
        with terminal(*question, bootstrap=server) as shown:
            assert shown.ended() == 0
        words = shown.shown.replace("─", " ").split()
        assert words == (told.out or told.err).split()
    assert "\x1b[1m" in shown.raw, "headings are bold"


def test_a_member_is_seen_while_it_reads(server: str) -> None:
    piped("topics", "create", "watched", "--partitions", "2", bootstrap=server).done()
    piped("produce", "watched", "--partition", "0", bootstrap=server, stdin=b"a\n").done()
    with terminal("consume", "watched", "--group", "viewers", "--from-beginning", bootstrap=server) as reader:
        reader.until("a\n")
        with terminal("groups", "describe", "viewers", bootstrap=server) as shown:
            assert shown.ended() == 0
        assert "Stable" in shown.shown
        assert "muster-consume" in shown.shown
        refused = piped(
            "groups", "reset-offsets", "viewers", "--topic", "watched", "--to-earliest", "--execute", bootstrap=server
        )
        assert "is Stable with 1 member: offsets can only be reset while nobody is in the group" in refused.err
        reader.type("\x03")
        assert reader.ended() == 130
    assert piped("groups", "delete", "viewers", bootstrap=server).done().table[1] == ["viewers", "yes"]


def test_ctrl_c_ends_a_reader_without_a_group(server: str) -> None:
    piped("topics", "create", "quiet", bootstrap=server).done()
    piped("produce", "quiet", bootstrap=server, stdin=b"x\n").done()
    with terminal("consume", "quiet", "--from-beginning", bootstrap=server) as reader:
        reader.until("x\n")
        reader.type("\x03")
        assert reader.ended() == 130
        assert "Traceback" not in reader.shown


def test_ctrl_c_while_typing_says_what_is_written(server: str) -> None:
    piped("topics", "create", "half", bootstrap=server).done()
    with terminal("produce", "half", bootstrap=server) as writer:
        writer.until("Ctrl-D ends")
        writer.type("whole\n")
        with terminal("consume", "half", "--from-beginning", "--max", "1", bootstrap=server) as reader:
            assert reader.ended() == 0
        writer.type("not finished\x03")
        assert writer.ended() == 130
        assert "1 record (5 bytes) written to half" in writer.shown
        assert "Traceback" not in writer.shown


def test_no_server_is_said_with_what_to_do() -> None:
    told = piped("groups", "list", bootstrap="127.0.0.1:1")
    why = told.refused(1)
    assert "connect to 127.0.0.1:1: NETWORK_EXCEPTION" in why
    assert "Check that the server runs" in why


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("gropus", "list"), "did you mean groups?"),
        (("groups", "lsit"), "did you mean list?"),
        (("topics", "create", "t", "--partition", "3"), "did you mean --partitions?"),
        (("produce", "t", "--compression", "zst"), "did you mean zstd?"),
        (("lag", "--lake", "x", "--since", "1x"), "unrecognized arguments: --since 1x\n"),  # no flag is near it
        (("groups", "list", "--timeout", "soon"), "'soon' is not a number of seconds above 0, 2000000 at most"),
        (("groups", "list", "--bootstrap", "nonsense"), "'nonsense' is not an address"),
        (("groups", "list", "--bootstrap", "h:" + "9" * 5_000), "999' is not an address"),
        (("console", "--listen", "h:" + "9" * 5_000), "9...: give HOST:PORT, such as "),
    ],
)
def test_what_is_misspelt_gets_a_suggestion(arguments: tuple[str, ...], why: str) -> None:
    told = piped(*arguments, bootstrap="127.0.0.1:1")
    assert (told.code, told.out) == (2, "")
    assert why in told.err
