"""Builds the compiled form of the hot core; everything else about the build is in pyproject.toml.

mypyc turns the modules below into one extension. It is an addition, not a need: with MUSTER_PURE=1, without a C compiler or
when anything else goes wrong, the build says so in one line and installs plain Python, which does the same more slowly. The
modules are compiled together because a call between a compiled and an interpreted one costs what the compiling gains.
"""

from __future__ import annotations

import os
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from threading import Lock
from typing import Any

from setuptools import setup
from setuptools.command.build_ext import build_ext

SOURCE = Path("src/muster")
HOT_APIS = sorted(path.stem.removesuffix("_native") for path in (SOURCE / "wire/generated").glob("*_native.py"))
COMPILED = {
    "wire": (
        "batch_encode batch_header batch_markers batch_open batch_records errors header i32_array message native primitives"
        " special_values value varint"
    ),
    "wire/generated": " ".join(f"{name} {name}_native" for name in HOT_APIS),
    "core": "*",
    "core/assignors": "member_spec server_range server_side server_uniform server_uniform_mixed",
    "core/classic": "*",
    "core/consumer": "*",
    "core/offsets": "*",
    "core/transactions": "*",
    "log": (
        "compactable contract disk file_access file_commit file_log file_transactions group_value index offset_run"
        " offset_value open_files record_codec record_fields segment segment_rules staging sync_frames sync_journal tick_commit"
        " transaction_value"
    ),
    "topics": "batch_checks catalog effort markers produce producers refusal refused_batches topic verifications",
    "runtime": (
        "alarm clock coordinator coordinator_log coordinator_shards group_commit group_queues group_runner in_flight loader"
        " long_poll marker_writer offsets_load offsets_log retries runner session_token tickets timings transaction_coordinator"
        " transaction_runner transactions_load transactions_log unanswered wheel"
    ),
    "server": "authorize backlog call channel connection limits parts reactor request_budget routes traffic transactions",
    "server/intake": "*",
    "server/handlers": (
        "commit_answer commit_sorting consumer_group_heartbeat describe_groups end_txn find_coordinator heartbeat join_group"
        " leave_group list_groups offset_commit offset_fetch produce repeated_commit sync_group txn_offset_commit"
    ),
}
OWN_SYMBOLS = [] if sys.platform == "win32" else ["-fvisibility=hidden", "-fno-semantic-interposition"]
"""Nobody outside calls or replaces these functions: calls between them need no table, and short ones can be inlined."""
BUILDING = {"bdist_wheel", "build", "build_ext", "editable_wheel", "install"}


def compiled_files() -> list[str]:
    files: list[Path] = []
    for room, names in COMPILED.items():
        for name in names.split():
            found = sorted((SOURCE / room).glob(f"{name}.py"))
            assert found, f"setup.py names {room}/{name}.py, which is not there"
            files += found
    return [str(path) for path in files if path.name != "__init__.py"]


def say(text: str) -> None:
    """To standard error, and to the terminal if that is another place: pip keeps what a build says to itself."""
    print(f"muster: {text}", file=sys.stderr, flush=True)
    if not sys.stderr.isatty():
        with suppress(OSError), open("/dev/tty", "w") as terminal:
            print(f"muster: {text}", file=terminal)


def fall_back(why: str) -> None:
    say(f"the hot core is not compiled, plain Python is used instead: {why}")


class Progress:
    """Says every tenth of the work how far it is. Called by the threads that compile."""

    def __init__(self, files: int) -> None:
        self._files = files
        self._done = 0
        self._lock = Lock()
        say(
            f"compiling the hot core, {files} files on {os.cpu_count()} cores; MUSTER_PURE=1 installs plain Python instead"
        )

    def one_more(self) -> None:
        with self._lock:
            before, self._done = self._done, self._done + 1
            if before * 10 // self._files != self._done * 10 // self._files:
                say(f"{self._done} of {self._files} files compiled")


class BuildOrFallBack(build_ext):
    """A compiler that is missing or fails leaves a pure package behind, never half a compiled one.

    Files are compiled side by side, and only those that changed since the last time.
    """

    def build_extensions(self) -> None:
        compile_files = self.compiler.compile

        def compile_side_by_side(sources: list[str], **options: Any) -> list[str]:
            progress = Progress(len(sources)) if len(sources) > 1 else None  # the others are one small file a module
            headers = max(path.stat().st_mtime for path in Path("build").glob("*.h"))

            def compile_one(source: str) -> str:
                (made,) = self.compiler.object_filenames([source], output_dir=options.get("output_dir") or "")
                newest = max(headers, Path(source).stat().st_mtime)
                if not Path(made).exists() or Path(made).stat().st_mtime < newest:
                    compile_files([source], **options)
                if progress is not None:
                    progress.one_more()
                return made

            with ThreadPoolExecutor(os.cpu_count()) as pool:
                return list(pool.map(compile_one, sources))

        self.compiler.compile = compile_side_by_side
        super().build_extensions()

    def run(self) -> None:
        try:
            super().run()
            if self.extensions:
                say("the hot core is compiled")
        except Exception as error:
            fall_back(str(error).splitlines()[0])
            for path in self.get_outputs():
                Path(path).unlink(missing_ok=True)
            self.extensions.clear()


def extensions() -> list[Any]:
    if not BUILDING & set(sys.argv):
        return []  # only the package's metadata is asked for
    if os.environ.get("MUSTER_PURE") or Path(".pure").exists():
        fall_back("MUSTER_PURE is set, or there is a file .pure here")
        return []
    try:
        from mypyc.build import mypycify

        files = compiled_files()
        say(f"mypyc translates the hot core to C, {len(files)} modules: this is one step that prints nothing")
        options = ["--config-file=", "--ignore-missing-imports", "--follow-imports=silent", "--python-version=3.11"]
        made = list(
            mypycify(
                [*options, *files],
                opt_level=os.environ.get("MUSTER_OPT_LEVEL", "2"),
                debug_level="0",
                group_name="muster",
                multi_file=True,
            )
        )
        for extension in made:
            extension.extra_compile_args += OWN_SYMBOLS
        return made
    except (Exception, SystemExit) as error:
        fall_back(f"mypyc: {error}")
        return []


setup(ext_modules=extensions(), cmdclass={"build_ext": BuildOrFallBack})
