"""What every command writes into a pipe: with `--json` an object a line and nothing else, without it no frames or colours."""

from __future__ import annotations

import argparse
import io
import json
import re
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from importlib import import_module
from pathlib import Path

import pytest
from confluent_kafka import Consumer, TopicPartition

from muster.cli.main import COMMANDS, main
from muster.testing import Broker
from tests.cli.plain_pipes import assert_no_frames
from tests.interop.transactional import ConfluentTransactions
from tests.pipeline.cli.test_question_commands import AT, GOLD
from tests.pipeline.lake.delta_lakes import gold_lake
from tests.pipeline.sources.written_log import WrittenLog, pairs

FORMS = ("json", "plain")
SETTINGS = {
    "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
    "super.users": "User:ANONYMOUS",
}
AT_A_BROKER = (
    "groups list",
    "groups describe billing",
    "groups members billing",
    "groups offsets billing",
    "groups explain billing",
    "groups watch billing --times 1",
    "groups configs billing",
    "groups reset-offsets done-{form} --topic orders --to-earliest",
    "groups delete-offsets done-{form} --topic orders",
    "groups delete gone-{form}",
    "transactions list",
    "transactions describe invoices",
    "transactions find-hanging --topic orders",
    "transactions abort invoices",
    "topics list",
    "topics create made-{form}",
    "topics describe made-{form}",
    "topics alter made-{form} --partitions 2",
    "topics delete made-{form}",
    "produce orders --file {lines}",
    "consume orders --from-beginning --max 2",
    "acls add --allow-principal User:a --operation READ --topic orders",
    "acls list",
    "acls remove --allow-principal User:a --operation READ --topic orders --yes",
    "quotas set producer_byte_rate=1000 --for-user a",
    "quotas list",
    "quotas remove --for-user a",
    "users add ada-{form} --password-file {lines}",
    "users list",
    "users remove ada-{form}",
    "log dump {log}",
)
OF_A_LAKE = (
    "lag",
    "lag --groups",
    "status",
    "rebalances",
    "members",
    "balance",
    "expiring",
    "abandoned",
    "committers",
    "doctor",
)
ELSEWHERE = {
    "cluster status": "cluster/test_cluster_check.py",
    "cluster check": "cluster/test_cluster_check.py",
    "cluster drain": "cluster/test_cluster_check.py",
    "cluster rebalance": "cluster/test_cluster_check.py",
    "store status": "cluster/test_cluster_check.py",
    "store copy": "cluster/test_store_copy.py",
    "bench groups": "client/test_client_bench.py",
    "pipeline compact": "pipeline/cli/test_lake_commands.py",
    "pipeline sql": "pipeline/cli/test_lake_commands.py",
    "spark backfill": "pipeline/tracking/test_backfill.py",
    "whatif": "pipeline/jobs/test_what_if.py",
}
"""Commands that need PostgreSQL, Spark or minutes, and the tests that run them in both forms."""
MAY_BE_EMPTY = ("transactions find-hanging", "groups configs")


def commands() -> dict[str, bool]:
    """Whether each has the flag."""

    def walk(parser: argparse.ArgumentParser, path: str) -> Iterator[tuple[str, bool]]:
        below = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
        if not below:
            yield path, any("--json" in action.option_strings for action in parser._actions)
        for action in below:
            for name, command in action.choices.items():
                yield from walk(command, f"{path} {name}")

    found: dict[str, bool] = {}
    for name, (module, _) in COMMANDS.items():
        parser = argparse.ArgumentParser(add_help=False)
        import_module(module).add_arguments(parser)
        found.update(walk(parser, name))
    return found


def test_every_command_with_json_is_asked_here_or_elsewhere() -> None:
    with_json = {name for name, has_it in commands().items() if has_it}
    asked = {name for name in with_json for line in (*AT_A_BROKER, *OF_A_LAKE) if f"{line} ".startswith(f"{name} ")}
    assert asked | ELSEWHERE.keys() == with_json
    assert asked.isdisjoint(ELSEWHERE)
    for file in ELSEWHERE.values():
        text = (Path(__file__).parents[1] / file).read_text(encoding="utf-8")
        assert "--json" in text, file
        assert "assert_plain(" in text, file


def test_the_page_names_the_commands_without_it() -> None:
    page = (Path(__file__).parents[2] / "docs" / "cli.md").read_text(encoding="utf-8")
    (sentence,) = re.findall(r"The others say one line that is for people(.*)\. Tables in a pipe", page, re.DOTALL)
    assert set(re.findall("`([a-z ]+)`", sentence)) == {name for name, has_it in commands().items() if not has_it}


@pytest.fixture(scope="module")
def broker() -> Iterator[Broker]:
    """With a group that has a member, groups that have left, and an open transaction. A name breaks the line."""
    with Broker(SETTINGS, topics={"orders": 2}) as running:
        running.produce("orders", "one", "two\nlines", partition=0)
        reader = Consumer(configured(running, "billing"))
        reader.subscribe(["orders"])
        while not reader.assignment():
            reader.poll(0.05)
        for group in ("billing", "two\nlines", *(f"{kind}-{form}" for form in FORMS for kind in ("done", "gone"))):
            committer = reader if group == "billing" else Consumer(configured(running, group))
            committer.commit(offsets=[TopicPartition("orders", 0, 1)], asynchronous=False)
            if committer is not reader:
                committer.close()
        producer = ConfluentTransactions(running.bootstrap_servers, "invoices")
        producer.begin()
        producer.send("orders", 1, b"pending")
        yield running
        reader.close()


def configured(broker: Broker, group: str) -> dict[str, str | bool]:
    return {"bootstrap.servers": broker.bootstrap_servers, "group.id": group, "enable.auto.commit": False}


def written(*arguments: str) -> str:
    """What goes into the pipe. Nothing that is for people only may be in it."""
    out, err = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="", write_through=True), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = main(arguments)
    assert code in (0, 1 if arguments[0] == "doctor" else 0), err.getvalue()
    out.seek(0)
    text = out.read()
    assert_no_frames(text, err.getvalue())
    return text


def check(arguments: list[str], form: str, *, may_be_empty: bool) -> None:
    print(*arguments)  # shown if it fails
    if form == "plain":
        written(*arguments)
        return
    text = written(*arguments, "--json")
    assert text == "" or text.endswith("\n")
    rows = [json.loads(line) for line in text.split("\n")[:-1]]
    assert all(isinstance(row, dict) for row in rows)
    assert rows or may_be_empty


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    home = tmp_path_factory.mktemp("files")
    log = WrittenLog(home, "orders")
    log.append(*pairs(3))
    (home / "lines").write_text("a\nb\n", encoding="utf-8")
    return {"log": log.file, "lines": home / "lines"}


@pytest.mark.parametrize("form", FORMS)
def test_commands_at_a_broker(broker: Broker, files: dict[str, Path], form: str) -> None:
    for line in AT_A_BROKER:
        arguments = line.format(form=form, **files).split()
        if arguments[0] != "log":
            arguments += ["--bootstrap", broker.bootstrap_servers]
        check(arguments, form, may_be_empty=line.startswith(MAY_BE_EMPTY))


@pytest.mark.parametrize("form", FORMS)
def test_questions_to_a_lake(tmp_path: Path, form: str) -> None:
    lake = str(gold_lake(tmp_path / "lake", GOLD, at_ms=AT).location)
    for line in OF_A_LAKE:
        check([*line.split(), "--lake", lake], form, may_be_empty=False)
