"""Every code block of every page does what it says: it is run, or the page says why not. `doc_blocks.py` says how to mark one."""

from __future__ import annotations

import contextlib
import io
import shlex
import shutil
from pathlib import Path

import pytest

from muster.cli.main import _parser_for
from muster.security.rules import rules_from_toml
from muster.server.setting_sources import from_file
from muster.server.settings import resolve
from tests.cluster.postgres_process import PostgresProcess
from tests.house.doc_blocks import GENERATED, ROOT, RUN, Block, blocks_of, name_of, pages, shown_commands
from tests.house.doc_session import BlockFailed, Session, masked

BLOCKS = {name_of(page): list(blocks_of(page)) for page in pages()}
STORE = "export MUSTER_STORE="
"""A page that says this is run with a database of its own."""
TO_RUN = [page for page, blocks in BLOCKS.items() if any(block.is_run for block in blocks)]


@pytest.mark.parametrize("page", TO_RUN)
def test_what_a_page_shows_works_from_top_to_bottom(page: str, tmp_path: Path) -> None:
    for program in missing_programs(BLOCKS[page]):
        pytest.skip(f"{program} is not installed")
    with contextlib.ExitStack() as stack:
        variables = {}
        if any(STORE in block.text for block in BLOCKS[page]):
            variables["MUSTER_STORE"] = stack.enter_context(PostgresProcess()).url
        session = stack.enter_context(Session(tmp_path, variables))
        for block in BLOCKS[page]:
            if block.is_run:
                session.run(block)


def missing_programs(blocks: list[Block]) -> list[str]:
    """Of those that a reader has but a bare machine may not."""
    text = "\n".join(block.text for block in blocks if block.is_run)
    return [program for program in ("curl", "openssl") if f"{program} " in text and shutil.which(program) is None]


def all_blocks(*languages: str) -> list[Block]:
    return [block for blocks in BLOCKS.values() for block in blocks if not languages or block.language in languages]


def test_a_block_that_is_not_run_says_why_and_can_be_read_at_least() -> None:
    for block in all_blocks():
        if block.mark == "not run":
            assert block.language in RUN, f"{block}: only {RUN} are run, so it needs no mark"
            assert len(block.word.split()) >= 3, f"{block}: say why it is not run"
            if block.language == "python":
                compile(block.text, str(block), "exec")


def test_blocks_with_commands_say_so() -> None:
    """A block without a language would slip through. What `--help` prints is text."""
    unmarked = [
        str(block)
        for block in all_blocks()
        if block.language not in RUN and block.page.rpartition("/")[2] not in GENERATED and [*shown_commands(block)]
    ]
    assert unmarked == []


def test_every_muster_command_that_a_page_shows_is_one() -> None:
    wrong = []
    for block in all_blocks("bash", "console"):
        for line, command in shown_commands(block):
            if problem := problem_of(command):
                wrong.append(f"{block.page}:{line}: {command}: {problem}")
    assert wrong == []


def problem_of(command: str) -> str:
    """What the parser says against it. `...` stands for flags that the page leaves out."""
    words = shlex.split(command)[1:]
    if "..." in words:
        words[words.index("...") : words.index("...") + 1] = []
    said = io.StringIO()
    with contextlib.redirect_stderr(said), contextlib.redirect_stdout(io.StringIO()):
        try:
            _parser_for(words)[0].parse_args(words)
        except SystemExit as end:
            return said.getvalue() if end.code else ""
    return ""


@pytest.mark.parametrize("block", all_blocks("toml"), ids=str)
def test_a_toml_block_is_a_file_that_muster_serve_takes(block: Block, tmp_path: Path) -> None:
    """Of settings, or of rules."""
    path = tmp_path / "muster.toml"
    path.write_text(block.text, encoding="utf-8")
    if "[[allow]]" in block.text:
        assert len(rules_from_toml(block.text).rules) == block.text.count("\n[[")
    else:
        assert resolve(from_file(str(path))).texts


def test_blocks_know_their_page_line_and_mark() -> None:
    (block, *_) = BLOCKS["docs/testing.md"]
    lines = (ROOT / "docs" / "testing.md").read_text(encoding="utf-8").splitlines()
    assert lines[block.line - 2] == "```python"
    assert lines[block.line - 1] == block.text.splitlines()[0]


@pytest.mark.parametrize(
    ("language", "text", "complaint"),
    [
        ("python", "x = 1\nassert x == 2\n", r'page.md", line 8'),
        ("bash", "echo one\nfalse\necho two\n", "exit code 1"),
        ("console", "$ echo one\ntwo\n", r"prints\none"),
    ],
)
def test_a_block_that_is_wrong_is_found(language: str, text: str, complaint: str, tmp_path: Path) -> None:
    with Session(tmp_path) as session, pytest.raises(BlockFailed, match=complaint.replace("\\n", "\n")):
        session.run(Block("page.md", 7, language, text))


def test_shown_output_may_differ_in_times_spans_and_ids_and_in_nothing_else(tmp_path: Path) -> None:
    assert masked("took 1.2 s at 2026-11-15 03:02:11") == masked("took 40 ms  at 2027-01-01 10:00:00")
    with Session(tmp_path) as session:
        session.run(Block("page.md", 1, "console", "$ seq 3\n1\n...\n3\n$ echo a  b\na b\n"))
        with pytest.raises(BlockFailed):
            session.run(Block("page.md", 1, "console", "$ echo 5 members\n6 members\n"))
