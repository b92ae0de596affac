"""The thread that works beside the loop: in order, and for as long as the server runs."""

from __future__ import annotations

import logging
from queue import SimpleQueue

import pytest

from muster.runtime.writer_thread import Step, WriterThread


def test_work_that_fails_is_logged_and_does_not_end_the_thread(caplog: pytest.LogCaptureFixture) -> None:
    def fail() -> None:
        raise MemoryError("no room")

    told: SimpleQueue[Step] = SimpleQueue()
    done: list[str] = []
    thread = WriterThread(told.put, "muster-test")
    with caplog.at_level(logging.CRITICAL):
        thread.run(fail, lambda: done.append("what failed"))
        thread.run(lambda: None, lambda: done.append("what came next"))
        thread.close()
    while not told.empty():
        told.get()()
    assert done == ["what came next"]
    assert "work in the thread muster-test failed" in caplog.text
