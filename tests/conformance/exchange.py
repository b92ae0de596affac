"""Logs that one broker wrote and the other reads: Muster serves Kafka's data directory, Kafka serves Muster's records.

A `View` is what clients see of all groups: listed, described, with their offsets. A broker that is started on a log must
show what the broker that wrote it shows after a restart. Kafka's own rules allow it to take over our segments only into
partitions that its metadata log knows, so they are put into a directory that Kafka has made (`graft`).
Called by the runner; needs Java. The replay uses `View` with a directory that Kafka wrote when it was recorded.
"""

from __future__ import annotations

import json
import shutil
import tarfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from muster.wire.batch import iterate_batches
from tests.conformance import kafka, muster_node
from tests.conformance.codec import api_named
from tests.conformance.compare import differences
from tests.conformance.connection import Connection
from tests.conformance.kafka import Node
from tests.conformance.naming import Names
from tests.conformance.offsets_log import TOPIC
from tests.conformance.recording import FOLDER
from tests.conformance.script import all_scripts
from tests.conformance.stage import SETTINGS, play_all, prepare

View = dict[str, Any]

WRITERS: Final = (
    "group_admin",
    "heartbeat",
    "join",
    "leave",
    "offset_commit",
    "offset_delete",
    "static_members",
    "sync",
)
"""The scripts that fill the log."""
DIRECTORY: Final = FOLDER / "data-directory.tar.xz"
VIEW: Final = FOLDER / "data-directory.view.json"
_DUMP: Final = "org.apache.kafka.tools.DumpLogSegments"


def view(node: Node) -> View:
    """Everything that clients can see of all groups."""
    connection = Connection(node.host, node.port, "viewer")
    try:
        listed = connection.ask(api_named("ListGroups"), 5, {})["groups"]
        names = sorted(each["group_id"] for each in listed)
        described = connection.ask(api_named("DescribeGroups"), 6, {"groups": names})
        asked = [{"group_id": name, "topics": None} for name in names]
        offsets = connection.ask(api_named("OffsetFetch"), 9, {"groups": asked})["groups"]
    finally:
        connection.close()
    for each in offsets:
        each["topics"] = sorted(each["topics"], key=lambda topic: str(topic["name"]))
        for topic in each["topics"]:
            topic["partitions"] = sorted(topic["partitions"], key=lambda part: int(part["partition_index"]))
    namer = Names("", "", {})
    namer.text = lambda text: text  # type: ignore[method-assign]
    return {
        "listed": {each["group_id"]: each for each in listed},
        "described": {each["group_id"]: each for each in namer.tree("DescribeGroups", "", described)["groups"]},
        "offsets": {each["group_id"]: each for each in offsets},
    }


def fill(name: str, node: Node) -> None:
    broker = prepare(name, node.host, node.port)
    play_all(broker, [each for each in all_scripts() if each.name in WRITERS])


def check_exchange() -> list[str]:
    """Everything that went wrong, as lines for people; empty when all is well."""
    with TemporaryDirectory(prefix="exchange-") as made:
        folder = Path(made)
        return [*_muster_serves_kafkas(folder), *_kafka_serves_ours(folder)]


def _muster_serves_kafkas(folder: Path) -> Iterator[str]:
    written, copied = folder / "kafka", folder / "kafka-copy"
    kafkas = write_with_kafka(written, copied)
    with muster_node.running(SETTINGS, copied) as node:
        ours = ready_view(node)
    yield from _differences("Muster on Kafka's data directory", ours, kafkas)
    print(f"Muster loaded Kafka's data directory: {len(ours['listed'])} groups")


def write_with_kafka(written: Path, copied: Path) -> View:
    """Fills a directory with Kafka, keeps a copy of it, and gives what a restarted Kafka shows."""
    with kafka.running(SETTINGS, written) as node:
        fill("Kafka", node)
    shutil.copytree(written, copied)
    with kafka.running(SETTINGS, written) as node:
        return ready_view(node)


def _kafka_serves_ours(folder: Path) -> Iterator[str]:
    written, made_by_kafka = folder / "muster", folder / "grafted"
    with muster_node.running(SETTINGS, written) as node:
        fill("Muster", node)
    with muster_node.running(SETTINGS, written) as node:
        ours = ready_view(node)
    yield from _dumps(written)
    with kafka.running(SETTINGS, made_by_kafka) as node:
        prepare("Kafka", node.host, node.port)
    graft(written, made_by_kafka)
    with kafka.running(SETTINGS, made_by_kafka) as node:
        theirs = ready_view(node)
    yield from _differences("Kafka on Muster's records", ours, theirs)
    print(f"Kafka loaded Muster's records: {len(theirs['listed'])} groups")


def ready_view(node: Node) -> View:
    prepare("a restarted broker", node.host, node.port)
    return view(node)


def graft(ours: Path, theirs: Path) -> None:
    """Our segments in the place of those that Kafka made; it builds its indexes anew because of an unclean stop."""
    (theirs / ".kafka_cleanshutdown").unlink(missing_ok=True)
    for source in sorted(ours.glob(f"{TOPIC}-*")):
        target = theirs / source.name
        for old in target.iterdir():
            if old.name != "partition.metadata":
                old.unlink()
        for segment in source.glob("*.log"):
            shutil.copy(segment, target / segment.name)


def _dumps(data: Path) -> Iterator[str]:
    """Kafka's DumpLogSegments must read every one of our records as a group's or an offset's."""
    segments = [each for each in sorted(data.glob(f"{TOPIC}-*/*.log")) if each.stat().st_size]
    records = sum(header.record_count for each in segments for _, header in iterate_batches(each.read_bytes()))
    files = ",".join(map(str, segments))
    ran = kafka.run_tool(_DUMP, "--offsets-decoder", "--files", files)
    lines = [line for line in ran.stdout.splitlines() if line.startswith("|")]
    read = [line for line in lines if '"type":' in line and "key: {" in line]
    if ran.returncode or "isvalid: false" in ran.stdout or len(read) != records:
        yield f"DumpLogSegments read {len(read)} of {records} records, exit code {ran.returncode}: {ran.stderr[-1000:]}"
        yield from (f"  not decoded: {line}" for line in lines if line not in read)
    print(f"DumpLogSegments --offsets-decoder read {len(read)} of our {records} records in {len(segments)} segments")


def _differences(what: str, ours: View, theirs: View) -> Iterator[str]:
    for path, left, right in differences(ours, theirs, ""):
        yield f"{what}: {path}: ours {json.dumps(left)}, theirs {json.dumps(right)}"


def record_directory() -> None:
    """Renews the data directory that the replay loads, and what Kafka itself shows of it."""
    with TemporaryDirectory(prefix="exchange-") as made:
        written, copied = Path(made) / "kafka", Path(made) / "copy"
        seen = write_with_kafka(written, copied)
        keep_directory(copied, (TOPIC,), DIRECTORY)
    VIEW.write_text(",\n".join(_view_lines(seen)).join(("{", "}\n")))


def _view_lines(seen: View) -> Iterator[str]:
    """One line for each group in each part."""
    for part in ("listed", "described", "offsets"):
        lines = [f"  {json.dumps(group)}: {json.dumps(seen[part][group], ensure_ascii=False)}" for group in seen[part]]
        yield f"{json.dumps(part)}: {{\n" + ",\n".join(lines) + "\n}"


def keep_directory(data: Path, topics: Sequence[str], file: Path) -> None:
    """An archive of what a broker needs to serve these topics."""
    with tarfile.open(file, "w:xz") as archive:
        for path in sorted(data.rglob("*")):
            if _belongs(path.relative_to(data), topics) and path.is_file() and path.stat().st_size:
                archive.add(path, str(path.relative_to(data)), filter=_without_owner)


def _belongs(path: Path, topics: Sequence[str]) -> bool:
    """The segments of the topics, with what Kafka keeps beside them; no indexes of offsets and times, which are preallocated."""
    if len(path.parts) == 1:
        return path.name == "meta.properties"
    return path.parts[0].rpartition("-")[0] in topics and path.suffix not in (".index", ".timeindex")


def _without_owner(entry: tarfile.TarInfo) -> tarfile.TarInfo:
    entry.uid = entry.gid = 0
    entry.uname = entry.gname = ""
    entry.mtime = 0
    return entry
