"""`except Exception` stands only where a fault has to end one thing and not the process (ARCHITECTURE.md, law 5)."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import pytest

from tests.house.source_files import name_of, parsed, python_files

pytestmark = pytest.mark.xdist_group("source")  # parsed once

ALLOWED = {
    "src/muster/client/membership_base.py": "a callback of the user's failed: he is told, the member goes on",
    "src/muster/cluster/workers.py": "a worker process logs why it ends, and ends",
    "src/muster/console/cluster_look.py": "ends one question to one node or store; the page says so, and it is asked again",
    "src/muster/console/guard.py": "answered as an error without a page, with the headers of every answer",
    "src/muster/console/live.py": "ends one update of one page, which says so; the others go on",
    "src/muster/console/observer.py": "ends one look at the cluster; pages say so, and the next one tries again",
    "src/muster/console/timeline_reader.py": "ends one attempt to follow the journal; pages say so, and the next one tries again",
    "src/muster/console/web.py": "answered with a page that says so; its traceback is logged",
    "src/muster/log/side_by_side.py": "raised again, for the task that waits for the thread",
    "src/muster/pipeline/lake/spark_reader.py": "Connect says by an exception of its own family that it has no context",
    "src/muster/pipeline/session.py": "pyspark, py4j and grpc have no common family of errors",
    "src/muster/pipeline/session_fit.py": "pyspark, py4j and grpc have no common family of errors",
    "src/muster/pipeline/session_probe.py": "whatever a broken installation raises is what is looked for",
    "src/muster/pipeline/sources/kafka_connector.py": "py4j and pyspark have no common family of errors",
    "src/muster/runtime/changes_apart.py": "raised again in the loop, where it ends this connection",
    "src/muster/runtime/coordinator_shards.py": "a shard that cannot be loaded; the others can",
    "src/muster/runtime/group_runner.py": "ends this shard, which is then loaded again",
    "src/muster/runtime/runner.py": "ends this shard, which is then loaded again",
    "src/muster/runtime/transaction_runner.py": "ends this shard, which is then loaded again",
    "src/muster/runtime/writer_thread.py": "ends this write, not the thread",
    "src/muster/server/call.py": "ends this connection",
    "src/muster/server/channel.py": "ends this channel, not the loop",
    "src/muster/server/connection.py": "ends this connection",
    "src/muster/server/handlers/produce.py": "raised again in the loop, where it ends this connection",
    "src/muster/server/running.py": "raised again, in the thread that asked",
    "src/muster/spark/committer.py": "ends this thread, not the query that is tracked",
    "src/muster/spark/listener.py": "ends this note of a micro-batch, not the query that is tracked",
    "src/muster/spark/tracking.py": "py4j, pyspark and Connect have no common family of errors",
    "src/muster/testing/control_http.py": "answered as an error to whoever asked over HTTP",
    "src/muster/testing/group_waits.py": "the test's own condition failed, which is for the test to see",
    "src/muster/whatif/job.py": "ends the replay of one group, not the job for ten thousand",
}


def _broad_handlers(tree: ast.AST) -> Iterator[ast.ExceptHandler]:
    """Handlers of everything that end in anything but raising it again."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ExceptHandler):
            kinds = node.type.elts if isinstance(node.type, ast.Tuple) else [node.type]
            is_broad = any(kind is None or ast.unparse(kind) in ("Exception", "BaseException") for kind in kinds)
            last = node.body[-1]
            if is_broad and not (isinstance(last, ast.Raise) and last.exc is None):
                yield node


def _found() -> set[str]:
    return {name_of(path) for path in python_files("src") if any(_broad_handlers(parsed(path)))}


def test_every_broad_except_is_listed_with_its_reason() -> None:
    assert _found() - ALLOWED.keys() == set()


def test_the_list_names_only_what_is_there() -> None:
    assert ALLOWED.keys() - _found() == set()


def test_a_broad_except_is_found() -> None:
    written = "try:\n    f()\nexcept {}:\n    {}\n"
    for kind, body, is_found in (
        ("Exception", "pass", True),
        ("(ValueError, BaseException) as error", "say(error)", True),
        ("BaseException", "raise", False),
        ("ValueError", "pass", False),
    ):
        assert any(_broad_handlers(ast.parse(written.format(kind, body)))) is is_found
