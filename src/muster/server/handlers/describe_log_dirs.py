"""DescribeLogDirs (35), versions 1 to 4: how much each partition takes on disk. v3+ a top-level error, v4+ room on the volume."""

from __future__ import annotations

import os

from muster.runtime.node import Node
from muster.security.resources import Operation
from muster.server.authorize import authorize_cluster
from muster.server.call import Call
from muster.server.settings import Settings, settings_of
from muster.wire.errors import CLUSTER_AUTHORIZATION_FAILED, NONE
from muster.wire.generated.describe_log_dirs import (
    DescribeLogDirsRequest,
    DescribeLogDirsResponse,
    DescribeLogDirsResponsePartition,
    DescribeLogDirsResponseResult,
    DescribeLogDirsResponseTopic,
)

UNKNOWN_SIZE = -1


def handle(call: Call, request: DescribeLogDirsRequest, node: Node) -> None:
    if not authorize_cluster(call, node, Operation.DESCRIBE):
        # Before v3 there is no place for the error: no directories are shown then.
        call.reply(DescribeLogDirsResponse(error_code=CLUSTER_AUTHORIZATION_FAILED))
        return
    wanted: dict[str, set[int]] | None = None
    if request.topics is not None:
        wanted = {}
        for topic in request.topics:
            wanted.setdefault(topic.topic, set()).update(topic.partitions)
    topics: dict[str, list[DescribeLogDirsResponsePartition]] = {}
    for entry in node.broker.log_dirs(wanted):
        topics.setdefault(entry.topic, []).append(DescribeLogDirsResponsePartition(entry.partition, entry.size_bytes))
    directory, total, usable = _volume(settings_of(node))
    call.reply(
        DescribeLogDirsResponse(
            results=[
                DescribeLogDirsResponseResult(
                    NONE,
                    directory,
                    [DescribeLogDirsResponseTopic(name, partitions) for name, partitions in topics.items()],
                    total,
                    usable,
                )
            ]
        )
    )


def _volume(settings: Settings) -> tuple[str, int, int]:
    """(directory, bytes of its volume, bytes free for us)"""
    if settings.storage == "memory":
        return "memory", UNKNOWN_SIZE, UNKNOWN_SIZE
    directory = os.path.abspath(settings.data)
    try:
        volume = os.statvfs(directory)
    except OSError:
        return directory, UNKNOWN_SIZE, UNKNOWN_SIZE
    return directory, volume.f_blocks * volume.f_frsize, volume.f_bavail * volume.f_frsize
