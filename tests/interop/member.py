"""One member of a group, in a process of its own: `python -m tests.interop.member SETTINGS`, the settings in JSON.

Reads, commits, and says so on standard output, a JSON object a line, with the machine's monotonic time so that the lines
of several members can be put in order. On standard input it takes `stall`, `resume` and `leave`, a word a line.
What it says: `owns` (all its partitions now, and the generation), `read`, `committed`, `commit_failed`, `stalled`,
`fatal` (the library has given up), `left`.
"""

from __future__ import annotations

import importlib
import json
import os
import queue
import sys
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

LIBRARIES = {
    "confluent-kafka": "tests.interop.member_confluent",
    "aiokafka": "tests.interop.member_aiokafka",
    "kafka-python": "tests.interop.member_kafka_python",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class MemberSettings:
    library: str
    bootstrap: str
    group: str
    topic: str
    assignor: str = "range"
    protocol: str = "classic"
    """`consumer`: the group protocol of KIP-848, in which the coordinator assigns and sets the timeouts."""
    regex: str | None = None
    """Subscribes to what it matches instead of the topic."""
    session_ms: int = 20_000
    """Long: on a busy machine nobody is expelled who should not be. Short for those who are killed."""
    max_poll_ms: int = 60_000
    instance: str | None = None
    commit_every: int = 10
    client: str | None = None
    """Its client id, with which the coordinator begins the member id that it gives out."""
    metadata_ms: int = 300_000
    """How old a library lets its picture of a topic become: when it sees that there are more partitions."""
    debug: str | None = None
    """What librdkafka writes to the member's log (`fetch,cgrp`): a test that fails shows the end of it."""

    def to_json(self) -> str:
        return json.dumps(asdict(self))

    @property
    def heartbeat_ms(self) -> int:
        return min(500, self.session_ms // 4)


class Member(ABC):
    """What the libraries have in common. A batch is read, said, committed, said."""

    def __init__(self, settings: MemberSettings) -> None:
        self.settings = settings
        self.wishes: queue.Queue[str] = queue.Queue()

    @abstractmethod
    def run(self) -> None:
        """Until `leave` is wished for."""

    def listen(self) -> None:
        """Whoever started it is gone when standard input ends; then so is this."""
        for line in sys.stdin:
            self.wishes.put(line.strip())
        os._exit(1)

    # ---- what it says

    def say_owned(self, partitions: list[int], generation: int) -> None:
        say("owns", partitions=sorted(partitions), generation=generation)

    def say_read(self, partition: int, offset: int, generation: int) -> None:
        say("read", partition=partition, offset=offset, generation=generation)

    def say_committed(self, offsets: Mapping[int, int]) -> None:
        say("committed", offsets={str(partition): offset for partition, offset in offsets.items()})

    def say_commit_failed(self, error: Exception) -> None:
        say("commit_failed", error=f"{type(error).__name__}: {error}")


def say(event: str, **details: Any) -> None:
    print(json.dumps({"at_ns": time.monotonic_ns(), "event": event, **details}), flush=True)


def main(settings_text: str) -> None:
    settings = MemberSettings(**json.loads(settings_text))
    member: Member = importlib.import_module(LIBRARIES[settings.library]).make(settings)
    threading.Thread(target=member.listen, daemon=True).start()
    member.run()
    say("left")
    sys.stdout.flush()
    os._exit(0)  # the thread that listens is inside a read that nothing ends


if __name__ == "__main__":
    main(sys.argv[1])
