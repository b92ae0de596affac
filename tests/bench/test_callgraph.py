"""What is charged to whom in a call graph as callgrind writes it."""

from __future__ import annotations

import pytest

from bench.callgraph import CallGraph, read
from bench.profile import REST, Impossible, by_room, rooms_of, table

SERVE = "CPyDef_connection___Connection___data_received"
DECIDE = "CPyDef_shard___Shard___handle"
WRITTEN = f"""events: Ir

fn=(1) main
1 100
cfn=(2) {SERVE}
calls=10 1
1 5000

fn=(2)
1 1000
cfn=(3) PyList_New
calls=20 1
+1 400
cfn=(4) call_it
calls=10 1
+1 3600

fn=(3)
* 500

fn=(4)
1 600
cfn=(5) {DECIDE}
calls=10 1
1 3000

fn=(5)
1 2900
cfn=(3)
calls=5 1
1 100
"""
ROOMS = {"connection": "sockets", "shard": "decisions"}


@pytest.fixture
def graph() -> CallGraph:
    return read(WRITTEN.splitlines())


def test_numbers_of_names_are_remembered_and_costs_are_added_up(graph: CallGraph) -> None:
    assert graph.total == 100 + 1000 + 500 + 600 + 2900
    assert graph.calls[SERVE] == 10
    assert graph.calls["PyList_New"] == 25


def test_what_the_interpreter_does_for_a_function_is_charged_to_it_and_what_ours_do_below_is_not(
    graph: CallGraph,
) -> None:
    charged = graph.charged(lambda name: name in (SERVE, DECIDE))
    assert charged == {SERVE: pytest.approx(1000 + 400 + 600), DECIDE: pytest.approx(2900 + 100)}


def test_rooms_add_up_to_all_instructions_a_request(graph: CallGraph) -> None:
    figures = by_room(graph, ROOMS)
    assert figures == {"sockets": pytest.approx(200), "decisions": pytest.approx(300), REST: pytest.approx(10)}
    assert sum(figures.values()) == pytest.approx(graph.total / 10)


def test_a_server_whose_core_is_not_compiled_is_not_counted() -> None:
    with pytest.raises(Impossible, match="compiled"):
        by_room(read([]), ROOMS)


def test_modules_are_known_by_every_short_name_of_theirs() -> None:
    import sys

    rooms = rooms_of(sys.executable)
    assert rooms["connection"] == "sockets, framing, routing"
    assert rooms["handlers___offset_commit"] == "handlers"
    assert rooms["generated___offset_commit_native"] == "messages to and from bytes"
    assert rooms["core___contract"] == "decisions"


def test_a_table_shows_what_it_was_before() -> None:
    lines = table({"a": {REST: 20.0}}, {"a": {REST: 10.0}, "b": {REST: 5.0}})
    assert lines[-1] == "| all | 20 → 10 | 5 |"
