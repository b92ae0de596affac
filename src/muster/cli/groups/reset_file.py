"""A plan of new offsets from a file or from standard input, for --from-file."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from muster.cli.support.usage_error import UsageError

if TYPE_CHECKING:
    from muster.client.partitions import TopicPartition


def read_plan(path: str, groups: Sequence[str]) -> dict[str, dict[TopicPartition, int]]:
    """Group -> partition -> offset. UsageError names the line that cannot be used."""
    from muster.client.reset_file import UnusablePlan, parse_plan

    try:
        if path == "-":
            return parse_plan(sys.stdin, "--from-file standard input", groups)
        with open(path, encoding="utf-8", newline="") as file:
            return parse_plan(file, f"--from-file {path}", groups)
    except UnusablePlan as error:
        raise UsageError(str(error)) from None
    except OSError as error:
        raise UsageError(f"--from-file {path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise UsageError(f"--from-file {path}: not UTF-8 text") from None
