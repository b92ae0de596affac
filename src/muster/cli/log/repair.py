"""`muster log repair DIR`: shows the damage, asks, cuts. Refuses while a server uses the directory.

Exit codes: 0 all logs are sound now, 1 damage is left or it could not be cut, 2 there is no such data directory.
"""

from __future__ import annotations

import os
import sys

from muster.cli.exit_codes import DONE, FAILED, USAGE
from muster.log.contract import StorageError
from muster.log.directory import DirectoryLock, partition_name
from muster.log.repair import Damage, cut, find_damage


def repair(directory: str, *, yes: bool) -> int:
    directory = os.path.abspath(directory)
    if not os.path.isdir(directory):
        print(f"muster log repair: {directory} is not a directory", file=sys.stderr)
        return USAGE
    only = None
    if any(name.endswith(".log") for name in os.listdir(directory)):
        only = partition_name(os.path.basename(directory))
        directory = os.path.dirname(directory)
    try:
        lock = DirectoryLock(directory)
    except (StorageError, OSError) as error:
        print(f"muster log repair: {error}", file=sys.stderr)
        return FAILED
    try:
        return _repair_all(directory, only, yes)
    except StorageError as error:
        print(f"muster log repair: {error}", file=sys.stderr)
        return FAILED
    finally:
        lock.release()


def _repair_all(directory: str, only: tuple[str, int] | None, yes: bool) -> int:
    found = find_damage(directory, only)
    for damage in found:
        print(damage)
    real = [damage for damage in found if not damage.is_torn_tail]
    if not real:
        print(f"{directory}: nothing to repair")
        return DONE
    left = 0
    for damage in real:
        if yes or _agreed(damage):
            cut(directory, damage)
            print(f"{damage.topic}-{damage.partition}: cut at offset {damage.offset}")
        else:
            left += 1
    if left:
        print(f"{left} damaged logs were left as they are; their partitions will not open")
    return FAILED if left else DONE


def _agreed(damage: Damage) -> bool:
    if not sys.stdin.isatty():
        print("say --yes to cut there (there is nobody here to ask)", file=sys.stderr)
        return False
    answer = input(f"cut {damage.topic}-{damage.partition} at offset {damage.offset}? [y/N] ")
    return answer.strip().lower() in ("y", "yes")
