"""`muster pipeline package`: our code as two files that `spark-submit` takes, for machines where Muster is not installed."""

from __future__ import annotations

import argparse
import shutil
import sys
from pathlib import Path

from muster.cli.exit_codes import DONE, FAILED

ZIP = "muster.zip"
ENTRY = "muster_pipeline.py"
_EXAMPLES = f"""\
examples:
  muster pipeline package --out job
  spark-submit --master yarn --py-files job/{ZIP} job/{ENTRY} --bootstrap broker:9092 --lake hdfs://namenode:8020/lake
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EXAMPLES
    parser.add_argument(
        "--out", metavar="DIR", required=True, help=f"where {ZIP} and {ENTRY} go; made if it is not there"
    )


def run(arguments: argparse.Namespace) -> int:
    from muster.pipeline.session_code import package_code

    directory = Path(arguments.out)
    try:
        packed = package_code(directory)
        if packed.parent.resolve() == directory.resolve():
            packed = packed.replace(directory / ZIP)
        else:
            packed = Path(shutil.copy(packed, directory / ZIP))
        entry = directory / ENTRY
        entry.write_text(_entry())
    except OSError as error:
        print(f"muster pipeline package: {directory}: {error.strerror or error}", file=sys.stderr)
        return FAILED
    print(f"spark-submit --py-files {packed} {entry} FLAGS OF muster pipeline run")
    return DONE


def _entry() -> str:
    """The text of `python -m muster.pipeline`, which is a program of its own."""
    from pkgutil import get_data

    text = get_data("muster.pipeline", "__main__.py")
    assert text is not None
    return text.decode()
