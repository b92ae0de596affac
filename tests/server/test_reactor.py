"""The reactor inside asyncio: it serves channels and takes nothing away from timers, queues, threads, signals and readers."""

from __future__ import annotations

import asyncio
import os
import select
import signal
import socket
import sys
import threading
from collections.abc import Callable, Coroutine, Iterator
from selectors import EVENT_READ, EVENT_WRITE
from typing import Any, TypeVar

import pytest

from muster.server.channel import Channel
from muster.server.reactor import Reactor
from muster.server.reactor_loop import ReactorLoop

pytestmark = pytest.mark.skipif(not hasattr(select, "epoll"), reason="the reactor is Linux's")

T = TypeVar("T")

far_ends: list[socket.socket] = []
"""Of the peers of the test that runs."""


def run(work: Coroutine[Any, Any, T]) -> T:
    try:
        with asyncio.Runner(loop_factory=ReactorLoop) as runner:
            return runner.run(work)
    finally:
        while far_ends:
            far_ends.pop().close()


class Peer:
    """A protocol that does what the test says, on one end of a pair of sockets; the other end is `far`."""

    def __init__(self, on_data: Callable[[Peer, bytes], object] = lambda peer, data: None) -> None:
        self.on_data = on_data
        self.received: list[bytes] = []
        self.told: list[str] = []
        self.lost: asyncio.Future[Exception | None] = asyncio.get_running_loop().create_future()
        near, self.far = socket.socketpair()
        far_ends.append(self.far)
        near.setblocking(False)
        self.near = near
        loop = asyncio.get_running_loop()
        assert isinstance(loop, ReactorLoop)
        self.channel = Channel(loop, loop.reactor, near, ("peer", 1), self)
        self.channel.start()

    def connection_made(self, channel: Channel) -> None:
        self.told.append("made")

    def data_received(self, data: bytes) -> None:
        self.received.append(data)
        self.on_data(self, data)

    def eof_received(self) -> bool:
        self.told.append("eof")
        return False

    def pause_writing(self) -> None:
        self.told.append("pause")

    def resume_writing(self) -> None:
        self.told.append("resume")

    def connection_lost(self, error: Exception | None) -> None:
        self.told.append("lost")
        self.lost.set_result(error)

    async def end(self) -> None:
        self.channel.abort()
        await self.lost


async def next_turns(count: int = 3) -> None:
    for _ in range(count):
        await asyncio.sleep(0)


# ---- asyncio's own work


def test_a_timer_that_a_request_sets_fires_though_nothing_else_happens() -> None:
    async def work() -> None:
        rang = asyncio.Event()
        peer = Peer(lambda _, data: asyncio.get_running_loop().call_later(0.001, rang.set))
        peer.far.send(b"set a timer")
        await rang.wait()
        await peer.end()

    run(work())


def test_a_timer_that_a_request_sets_fires_before_a_later_one_of_asyncio() -> None:
    async def work() -> list[str]:
        order: list[str] = []
        loop = asyncio.get_running_loop()
        done = asyncio.Event()
        far_off = loop.call_later(1_000, order.append, "late")
        peer = Peer(lambda _, data: (loop.call_later(0.001, order.append, "soon"), loop.call_later(0.002, done.set)))
        peer.far.send(b"x")
        await done.wait()
        far_off.cancel()
        await peer.end()
        return order

    assert run(work()) == ["soon"]


def test_what_a_request_puts_into_the_queue_is_done_at_once() -> None:
    async def work() -> None:
        done = asyncio.Event()
        peer = Peer(lambda _, data: asyncio.get_running_loop().call_soon(done.set))
        peer.far.send(b"x")
        await done.wait()
        await peer.end()

    run(work())


def test_endless_traffic_starves_neither_timers_nor_the_queue_nor_other_threads() -> None:
    """Two channels of one loop that answer each other for ever."""

    async def work() -> None:
        loop = asyncio.get_running_loop()
        one, other = Peer(), Peer()
        os.set_blocking(one.far.fileno(), False)
        one.on_data = lambda _, data: other.far.send(data)
        other.on_data = lambda _, data: one.far.send(data)
        one.far.send(b"ball")
        await asyncio.sleep(0.001)
        await next_turns(5)
        from_thread = asyncio.Event()
        threading.Thread(target=loop.call_soon_threadsafe, args=(from_thread.set,)).start()
        await from_thread.wait()
        await loop.run_in_executor(None, int)
        assert len(one.received) > 2
        await one.end()
        await other.end()

    run(work())


def test_a_loop_that_is_stopped_by_a_request_stops() -> None:
    async def begin() -> Peer:
        return Peer(lambda _, data: asyncio.get_running_loop().stop())

    loop = ReactorLoop()
    try:
        peer = loop.run_until_complete(begin())
        peer.far.send(b"stop")
        loop.run_forever()
        assert peer.received == [b"stop"]
        loop.run_until_complete(peer.end())
        peer.far.close()
    finally:
        loop.close()


def test_signals_subprocesses_and_streams_work_beside_channels() -> None:
    async def work() -> None:
        loop = asyncio.get_running_loop()
        rang, served = asyncio.Event(), asyncio.Event()
        peer = Peer(lambda _, data: served.set())
        loop.add_signal_handler(signal.SIGUSR1, rang.set)
        os.kill(os.getpid(), signal.SIGUSR1)
        await rang.wait()
        loop.remove_signal_handler(signal.SIGUSR1)

        program = "import sys; sys.stdout.write(sys.stdin.read().upper())"
        pipe = asyncio.subprocess.PIPE
        child = await asyncio.create_subprocess_exec(sys.executable, "-c", program, stdin=pipe, stdout=pipe)
        said, _ = await child.communicate(b"words")
        assert said == b"WORDS"

        async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            writer.write(await reader.readline())
            writer.close()

        async with await asyncio.start_server(echo, "127.0.0.1", 0) as server:
            reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
            writer.write(b"line\n")
            assert await reader.read() == b"line\n"
            writer.close()
            await writer.wait_closed()
        peer.far.send(b"still here")
        await served.wait()
        await peer.end()

    run(work())


# ---- channels


def test_a_channel_ended_by_another_one_in_the_same_batch_is_not_served() -> None:
    async def work() -> list[int]:
        peers = [Peer(), Peer()]
        for mine, other in (peers, peers[::-1]):
            mine.on_data = lambda _, data, other=other: other.channel.abort()  # type: ignore[misc]
            mine.far.send(b"end the other")
        await next_turns()
        served = [len(peer.received) for peer in peers]
        for peer in peers:
            await peer.end()
        return sorted(served)

    assert run(work()) == [0, 1]


def test_a_descriptor_does_not_come_back_while_events_of_its_old_owner_are_looked_at() -> None:
    async def work() -> None:
        opened: list[socket.socket] = []
        peers = [Peer(), Peer()]

        def end_the_other(me: Peer, data: bytes) -> None:
            other = peers[1 - peers.index(me)]
            number = other.near.fileno()
            other.channel.abort()
            opened.append(socket.socket())
            assert opened[-1].fileno() != number

        for peer in peers:
            peer.on_data = end_the_other
            peer.far.send(b"x")
        await next_turns()
        assert len(opened) == 1
        opened[0].close()
        for peer in peers:
            await peer.end()

    run(work())


def test_a_protocol_that_fails_is_told_of_and_ends_its_own_channel_only() -> None:
    async def work() -> None:
        faults: list[dict[str, Any]] = []
        asyncio.get_running_loop().set_exception_handler(lambda _, context: faults.append(context))

        def fail(peer: Peer, data: bytes) -> None:
            raise RuntimeError("a protocol that is broken")

        broken, sound = Peer(fail), Peer(lambda peer, data: peer.channel.write(data))
        broken.far.send(b"x")
        assert isinstance(await broken.lost, RuntimeError)
        assert [context["message"] for context in faults] == ["data_received failed"]
        assert broken.told == ["made", "lost"]
        sound.far.send(b"echo")
        sound.far.settimeout(20)
        await asyncio.get_running_loop().run_in_executor(None, sound.far.recv, 10)
        await sound.end()

    run(work())


def test_writing_to_somebody_who_does_not_read_pauses_and_resumes_the_protocol() -> None:
    async def work() -> tuple[list[str], int]:
        peer = Peer()
        peer.channel.set_write_buffer_limits(high=100_000)
        sent = 0
        while "pause" not in peer.told:
            peer.channel.write(b"x" * 100_000)
            sent += 100_000
        assert 100_000 < len(peer.channel._unsent) <= 300_000
        peer.channel.close()
        loop = asyncio.get_running_loop()
        received = await loop.run_in_executor(None, read_to_the_end, peer.far)
        assert await peer.lost is None
        assert received == sent
        return peer.told, len(peer.channel._unsent)

    assert run(work()) == (["made", "pause", "resume", "lost"], 0)


def read_to_the_end(end: socket.socket) -> int:
    end.settimeout(20)
    total = 0
    while received := end.recv(1 << 20):
        total += len(received)
    return total


def test_what_is_written_in_one_turn_goes_out_together_and_in_order() -> None:
    async def work() -> bytes:
        peer = Peer()
        peer.far.setblocking(False)
        for part in (b"one ", b"", b"two ", b"three"):
            peer.channel.write(part)
        with pytest.raises(BlockingIOError):
            peer.far.recv(100)
        await next_turns()
        received = peer.far.recv(100)
        await peer.end()
        return received

    assert run(work()) == b"one two three"


def test_nothing_is_taken_or_told_after_the_end() -> None:
    async def work() -> None:
        peer = Peer()
        peer.channel.write(b"last words")
        peer.channel.close()
        peer.channel.write(b"too late")
        peer.channel.close()
        peer.channel.abort()
        peer.channel.resume_reading()
        assert peer.far.recv(100) == b"last words"
        await peer.lost
        await next_turns()
        assert peer.told == ["made", "lost"]

    run(work())


def test_a_channel_that_is_paused_receives_nothing_until_it_is_resumed_and_does_not_keep_the_loop_busy() -> None:
    """Not even the hang-up of its peer, which epoll tells whether one asks for it or not."""

    async def work() -> None:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, ReactorLoop)
        peer = Peer()
        peer.channel.pause_reading()
        peer.far.send(b"x")
        peer.far.close()
        await next_turns()
        assert peer.received == []
        assert loop.reactor.select(0) == []
        peer.channel.resume_reading()
        assert await peer.lost is None
        assert peer.received == [b"x"]
        assert peer.told == ["made", "eof", "lost"]

    run(work())


# ---- as a selector


@pytest.fixture
def reactor() -> Iterator[Reactor]:
    made = Reactor()
    yield made
    made.close()


def test_the_reactor_tells_asyncio_of_its_descriptors_like_any_selector(reactor: Reactor) -> None:
    one, other = socket.socketpair()
    with one, other:
        reactor.register(one, EVENT_READ, "mine")
        assert reactor.select(0) == []
        other.send(b"x")
        ((key, events),) = reactor.select()
        assert (key.fileobj, key.fd, key.data, events) == (one, one.fileno(), "mine", EVENT_READ)
        reactor.modify(one, EVENT_READ | EVENT_WRITE, "changed")
        assert [(key.data, events) for key, events in reactor.select(1)] == [("changed", EVENT_READ | EVENT_WRITE)]
        reactor.modify(one.fileno(), EVENT_WRITE, "changed")
        other.close()
        assert [events for _, events in reactor.select(1)] == [EVENT_WRITE]
        assert list(reactor.get_map()) == [one.fileno()]
        assert reactor.unregister(one).data == "changed"
        assert reactor.select(0) == []


def test_what_is_not_registered_or_is_so_already_is_a_key_error(reactor: Reactor) -> None:
    one, other = socket.socketpair()
    with one, other:
        for ask in (reactor.get_key, reactor.unregister):
            with pytest.raises(KeyError):
                ask(one)
        with pytest.raises(KeyError):
            reactor.modify(one, EVENT_READ)
        reactor.register(one, EVENT_READ)
        with pytest.raises(KeyError):
            reactor.register(one.fileno(), EVENT_READ)


def test_a_descriptor_that_was_closed_first_can_still_be_unregistered(reactor: Reactor) -> None:
    one, other = socket.socketpair()
    reactor.register(one, EVENT_READ, "mine")
    one.close()
    other.close()
    assert reactor.unregister(one).data == "mine"
    with pytest.raises(ValueError, match="closed"):
        reactor.get_key(one)
