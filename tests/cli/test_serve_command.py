"""`muster` as a person or a script meets it: help, errors without tracebacks, exit codes, a clean stop."""

from __future__ import annotations

import os
import resource
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from muster import __version__
from muster.form import form_text
from muster.wire.generated.metadata import MetadataRequest
from tests.server.raw_client import RawClient

PATIENCE_SECONDS = 60


def muster(*arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run the command to its end, in the form that the tests run in and with no other settings than these."""
    kept = {
        name: value for name, value in os.environ.items() if not name.startswith("MUSTER_") or name == "MUSTER_PURE"
    }
    return subprocess.run(
        [sys.executable, "-m", "muster", *arguments],
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
        env=kept | variables,
        check=False,
    )


@contextmanager
def serving(*arguments: str, before: tuple[str, ...] = ()) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """A server on a free port: (process, port). Ended hard if the test did not end it. `before`: what starts it."""
    command = [*before, sys.executable, "-m", "muster", "serve", "--listen", "127.0.0.1:0", *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line.startswith("listening on 127.0.0.1:"), (line, process.poll())
        try:
            yield process, int(line.rsplit(":", 1)[1])
        finally:
            if process.poll() is None:
                process.kill()


def refused(run: subprocess.CompletedProcess[str], code: int) -> str:
    """The one line that says why not."""
    assert run.returncode == code, run
    assert "Traceback" not in run.stderr
    assert run.stdout == ""
    assert len(run.stderr.splitlines()) == 1, run.stderr
    return run.stderr


# ---- asking


def test_version_is_printed() -> None:
    run = muster("--version")
    assert (run.returncode, run.stdout.strip()) == (0, f"muster {__version__} ({form_text()})")


def test_help_lists_the_commands_and_shows_examples() -> None:
    run = muster("--help")
    assert run.returncode == 0
    assert "serve" in run.stdout
    assert "muster serve --memory" in run.stdout


def test_help_of_serve_names_every_flag() -> None:
    run = muster("serve", "--help")
    assert run.returncode == 0
    for flag in ("--listen", "--advertise", "--data", "--memory", "--set", "--config", "--durability", "--node-id"):
        assert flag in run.stdout
    assert "MUSTER_GROUP_MAX_SIZE" in run.stdout


def test_without_a_command_the_help_is_shown_as_an_error() -> None:
    run = muster()
    assert run.returncode == 2
    assert "commands:" in run.stderr


def test_an_unknown_command_is_a_usage_error() -> None:
    run = muster("sreve")
    assert run.returncode == 2
    assert "sreve" in run.stderr


def test_an_unknown_flag_is_a_usage_error() -> None:
    assert muster("serve", "--lisen", "127.0.0.1:0").returncode == 2


# ---- settings


def test_print_config_shows_every_setting_with_its_value_and_origin(tmp_path: Path) -> None:
    file = tmp_path / "muster.toml"
    file.write_text("offsets.retention.minutes = 5\n[muster]\ndurability = 'os'\n")
    run = muster(
        "serve", "--print-config", "--config", str(file), "--set", "group.max.size=9", "--memory",
        MUSTER_NUM_PARTITIONS="4",
    )  # fmt: skip
    assert run.returncode == 0
    lines = run.stdout.splitlines()
    assert "group.max.size = 9  # flag --set" in lines
    assert "muster.storage = memory  # flag --memory" in lines
    assert "num.partitions = 4  # variable MUSTER_NUM_PARTITIONS" in lines
    assert f"offsets.retention.minutes = 5  # file {file}" in lines
    assert f"muster.durability = os  # file {file}" in lines
    assert "group.min.session.timeout.ms = 6000  # default" in lines


@pytest.mark.parametrize(
    ("arguments", "variables", "said"),
    [
        (["--set", "group.max.sise=4"], {}, "did you mean group.max.size?"),
        (["--set", "group.max.size"], {}, "expected NAME=VALUE"),
        (["--set", "group.max.size=many"], {}, "Invalid value many for configuration group.max.size"),
        ([], {"MUSTER_GROUP_MAX_SICE": "1"}, "variable MUSTER_GROUP_MAX_SICE"),
        (["--listen", "nonsense"], {}, "expected HOST:PORT"),
        (["--durability", "maybe"], {}, "flag --durability"),
        (["--config", "/nowhere/muster.toml"], {}, "/nowhere/muster.toml"),
        (["--memory", "--set", "muster.rules=/nowhere/rules.toml"], {}, "/nowhere/rules.toml"),
    ],
)
def test_a_bad_setting_is_one_clear_line_and_exit_code_2(
    arguments: list[str], variables: dict[str, str], said: str
) -> None:
    assert said in refused(muster("serve", *arguments, **variables), 2)


def test_a_bad_rule_is_one_clear_line(tmp_path: Path) -> None:
    rules = tmp_path / "rules.toml"
    rules.write_text("[[allow]]\nprincipal = 'User:a'\noperation = 'REED'\nresource = 'topic'\nname = 'x'\n")
    line = refused(muster("serve", "--memory", "--listen", "127.0.0.1:0", "--set", f"muster.rules={rules}"), 2)
    assert "REED" in line


# ---- what stands in the way


def test_a_port_that_is_taken_is_said_with_what_to_do() -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        address = f"127.0.0.1:{other.getsockname()[1]}"
        line = refused(muster("serve", "--memory", "--listen", address), 1)
    assert f"cannot listen on {address}: another program listens there" in line


def test_a_host_that_cannot_be_resolved_is_said() -> None:
    line = refused(muster("serve", "--memory", "--listen", "no-such-host.invalid:0"), 1)
    assert "cannot listen on no-such-host.invalid:0: the host name cannot be resolved" in line


def test_a_directory_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    """A file stands where the directory should be: also root cannot write there."""
    (tmp_path / "file").write_text("")
    line = refused(muster("serve", "--listen", "127.0.0.1:0", "--data", str(tmp_path / "file" / "data")), 1)
    assert str(tmp_path / "file" / "data") in line


def test_a_directory_in_use_by_another_server_is_said(tmp_path: Path) -> None:
    with serving("--data", str(tmp_path)):
        line = refused(muster("serve", "--listen", "127.0.0.1:0", "--data", str(tmp_path)), 1)
    assert str(tmp_path) in line


def test_a_directory_of_another_cluster_or_node_is_said(tmp_path: Path) -> None:
    with serving("--data", str(tmp_path), "--cluster-id", "first") as (process, _):
        process.terminate()
        assert process.wait(PATIENCE_SECONDS) == 0
    base = ["serve", "--listen", "127.0.0.1:0", "--data", str(tmp_path)]
    assert "belongs to cluster first, not to second" in refused(muster(*base, "--cluster-id", "second"), 2)
    assert "belongs to node 1, not to 2" in refused(muster(*base, "--node-id", "2"), 2)


# ---- running


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_stops_it_cleanly(tmp_path: Path, number: signal.Signals) -> None:
    with serving("--data", str(tmp_path / "data")) as (process, port), RawClient(port) as client:
        assert client.ask("Metadata", 9, MetadataRequest([])).controller_id == 1
        process.send_signal(number)
        assert process.wait(PATIENCE_SECONDS) == 0
        assert client.is_closed_by_server()
        assert process.stderr is not None
        log = process.stderr.read()
    assert f"stopping on {number.name}" in log
    assert "Traceback" not in log


def test_the_cluster_id_is_kept_in_the_data_directory(tmp_path: Path) -> None:
    seen = []
    for _ in range(2):
        with serving("--data", str(tmp_path)) as (process, port), RawClient(port) as client:
            seen.append(client.ask("Metadata", 9, MetadataRequest([])).cluster_id)
            process.terminate()
            assert process.wait(PATIENCE_SECONDS) == 0
    assert seen[0] == seen[1]
    properties = (tmp_path / "meta.properties").read_text().splitlines()
    assert f"cluster.id={seen[0]}" in properties
    assert "version=1" in properties


@pytest.mark.skipif(not hasattr(resource, "prlimit"), reason="only Linux tells the limits of another process")
def test_a_server_may_have_as_many_connections_as_the_system_allows_it_files() -> None:
    """The usual soft limit of 1024 would turn the 1,000th client away, or a segment file."""
    with serving("--memory", before=("sh", "-c", 'ulimit -S -n 256; exec "$@"', "sh")) as (process, _):
        soft, hard = resource.prlimit(process.pid, resource.RLIMIT_NOFILE)
        assert soft == hard > 256
