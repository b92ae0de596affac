"""The supervisor: starts worker processes, starts those again that end or hang, passes on what they tell, stops them all.

Knows nothing of what a worker does; `run_worker` is called in the forked process. One thread and no event loop: a fork of
this process is always safe. Sockets and locks that it holds outlive each of its workers.
"""

from __future__ import annotations

import logging
import os
import selectors
import signal
import socket
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final, NoReturn

from muster.cluster.worker_channel import Channel, channel_pair
from muster.cluster.worker_restarts import Restarts
from muster.cluster.worker_silence import SilenceWatch, WakingTime

_log = logging.getLogger("muster.workers")

_SIGNALS: Final = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGCHLD)


@dataclass(slots=True)
class Worker:
    """One worker over all its lives."""

    number: int
    name: str
    """For people."""
    is_clean: bool
    """Its last process ended having closed everything; before the first one: whoever had the directory did."""
    restarts: Restarts
    pid: int = 0
    """0: it does not run."""
    channel: Channel | None = None
    is_ready: bool = False
    was_ever_ready: bool = False
    start_at_s: float | None = None
    """When it is to be started; None: it runs, or is not wanted any more."""
    last_end: str = ""
    announcements: Sequence[str] = ()
    silence: SilenceWatch = field(default_factory=SilenceWatch)
    why_killed: str = ""
    """The supervisor is ending its process by force."""

    @property
    def state(self) -> str:
        if self.pid:
            running = "running" if self.is_ready else "starting"
            return "hanging" if self.why_killed else running
        return "stopped" if self.start_at_s is None else "waiting"


class Supervisor:
    def __init__(
        self,
        workers: Sequence[Worker],
        run_worker: Callable[[Worker, Channel], int],
        on_all_ready: Callable[[], None],
        on_change: Callable[[], None],
        silence_s: float = 0.0,
    ) -> None:
        """`run_worker`: in the new process; returns its exit code. `on_all_ready`: once. `on_change`: whenever a worker's
        state did. `silence_s`: a worker that has been up and shows no life for so long is killed; 0: never."""
        self.workers = workers
        self._run_worker = run_worker
        self._on_all_ready = on_all_ready
        self._on_change = on_change
        self._selector = selectors.DefaultSelector()
        self._wake, self._woken = socket.socketpair()
        self._is_stopping = False
        self._exit_code = 0
        self._live: list[int] = [worker.number for worker in workers]
        self._silence_s = silence_s
        self._waking = WakingTime(silence_s, time.monotonic())

    # -- life

    def run(self) -> int:
        """Until a signal, and until every worker has ended. Returns the exit code for the shell."""
        self._wake.setblocking(False)
        self._woken.setblocking(False)
        self._selector.register(self._woken, selectors.EVENT_READ)
        signal.set_wakeup_fd(self._wake.fileno(), warn_on_full_buffer=False)
        for number in _SIGNALS:
            signal.signal(number, lambda *_: None)
        now_s = time.monotonic()
        for worker in self.workers:
            worker.start_at_s = now_s
        while not self._is_over():
            self._start_those_due()
            for key, _ in self._selector.select(self._seconds_to_wait()):
                if key.fileobj is self._woken:
                    self._take_signals()
                else:
                    self._listen_to(key.data)
            self._end_those_that_hang()
        _log.info("stopped")
        return self._exit_code

    def _is_over(self) -> bool:
        return self._is_stopping and not any(worker.pid for worker in self.workers)

    def _seconds_to_wait(self) -> float | None:
        due = [worker.start_at_s for worker in self.workers if worker.start_at_s is not None]
        if self._silence_s:
            due.append(self._waking.next_look_s)
        return max(0.0, min(due) - time.monotonic()) if due else None

    def _take_signals(self) -> None:
        received = self._woken.recv(4_096)
        for number in received:
            if number in (signal.SIGTERM, signal.SIGINT):
                self._stop_on(signal.Signals(number))
            elif number == signal.SIGHUP:
                self._signal_all(signal.SIGHUP)
        if signal.SIGCHLD in received:
            self._bury()

    def _stop_on(self, number: signal.Signals) -> None:
        if self._is_stopping:
            _log.warning("ending every worker at once on a second %s", number.name)
            self._signal_all(signal.SIGKILL)
            return
        _log.info("stopping on %s", number.name)
        self.stop()

    def stop(self) -> None:
        self._is_stopping = True
        for worker in self.workers:
            worker.start_at_s = None
            if worker.channel is not None:
                worker.channel.say_stop()

    def _signal_all(self, number: signal.Signals) -> None:
        for worker in self.workers:
            if worker.pid:
                os.kill(worker.pid, number)

    # -- processes

    def _start_those_due(self) -> None:
        now_s = time.monotonic()
        due = [worker for worker in self.workers if worker.start_at_s is not None and worker.start_at_s <= now_s]
        for worker in due:
            self._start(worker, now_s)
        if due:
            self._on_change()

    def _start(self, worker: Worker, now_s: float) -> None:
        worker.start_at_s = None
        here, there = channel_pair()
        sys.stdout.flush()
        sys.stderr.flush()
        # A signal that came to the new process before it is on its own would be told to this one.
        signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
        pid = os.fork()
        if pid == 0:
            here.close()
            self._be_worker(worker, there)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)
        there.close()
        worker.restarts.begin(now_s)
        worker.pid, worker.channel, worker.is_ready, worker.is_clean = pid, here, False, False
        worker.silence.begin_life()
        self._selector.register(here, selectors.EVENT_READ, worker)
        here.send({"live": self._live})

    def _be_worker(self, worker: Worker, channel: Channel) -> NoReturn:
        """In the new process: let go of what is the supervisor's, work, end without its goodbyes."""
        code = 1
        try:
            signal.set_wakeup_fd(-1)
            self._selector.close()
            self._wake.close()
            self._woken.close()
            for other in self.workers:
                if other.channel is not None:
                    other.channel.close()
            for number in _SIGNALS:
                signal.signal(number, signal.SIG_DFL)
            # Ctrl-C in a terminal reaches everybody; the supervisor alone decides what it means.
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)
            code = self._run_worker(worker, channel)
        except BaseException:
            _log.exception("%s ends", worker.name)
        finally:
            with suppress(Exception):
                sys.stdout.flush()
                sys.stderr.flush()
            os._exit(code)

    def _end_those_that_hang(self) -> None:
        """What they said is heard before: a sign that waits to be read is one."""
        now_s = time.monotonic()
        if not self._silence_s or now_s < self._waking.next_look_s:
            return
        passed_s = self._waking.passed(now_s)
        for worker in self.workers:
            silent_s = worker.silence.grow(passed_s)
            if worker.pid and silent_s > self._silence_s and not worker.why_killed:
                worker.why_killed = f"it hung, silent for {silent_s:.0f} s"
                _log.error(
                    "%s hangs: process %d has been silent for %.1f s; killing it", worker.name, worker.pid, silent_s
                )
                os.kill(worker.pid, signal.SIGKILL)
                self._on_change()

    def _bury(self) -> None:
        for worker in self.workers:
            if worker.pid:
                pid, status = os.waitpid(worker.pid, os.WNOHANG)
                if pid:
                    self._listen_to(worker)  # its last words
                    self._note_end(worker, os.waitstatus_to_exitcode(status))

    def _note_end(self, worker: Worker, code: int) -> None:
        worker.last_end = f"killed by {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"
        if worker.why_killed:
            worker.last_end += f": {worker.why_killed}"
        worker.pid, worker.is_ready, worker.why_killed = 0, False, ""
        worker.is_clean = worker.is_clean and code == 0
        self._hang_up(worker)
        if self._is_stopping:
            if not worker.is_clean:
                _log.warning("%s did not stop cleanly: %s", worker.name, worker.last_end)
            self._on_change()
            return
        delay_s = worker.restarts.delay_after_end(time.monotonic())
        worker.start_at_s = time.monotonic() + delay_s
        _log.warning("%s ended (%s); starting it again in %.1f s", worker.name, worker.last_end, delay_s)
        self._tell_who_lives()
        self._on_change()

    def _hang_up(self, worker: Worker) -> None:
        if worker.channel is not None:
            self._selector.unregister(worker.channel)
            worker.channel.close()
            worker.channel = None

    # -- what workers say

    def _listen_to(self, worker: Worker) -> None:
        if worker.channel is None:
            return
        messages = worker.channel.receive()
        if messages is None:
            self._hang_up(worker)  # it is about to end, or has
            return
        for message in messages:
            self._hear(worker, message)

    def _hear(self, worker: Worker, message: dict[str, Any]) -> None:
        if "changed" in message:
            for other in self.workers:
                if other is not worker and other.channel is not None:
                    other.channel.send(message)
        elif "ready" in message:
            self._note_ready(worker, message["ready"])
        elif "failed" in message:
            self._note_failure(worker, message["failed"], message["code"])
        elif "closed" in message:
            worker.is_clean = message["closed"]
        if worker.is_ready:
            worker.silence.note_sign()

    def _note_ready(self, worker: Worker, announcements: Sequence[str]) -> None:
        is_first_time = not worker.was_ever_ready
        worker.is_ready = worker.was_ever_ready = True
        worker.announcements = announcements
        self._tell_who_lives()
        self._on_change()
        if is_first_time:
            _log.info("%s is up, process %d", worker.name, worker.pid)
        else:
            _log.info("%s is back, process %d, restart %d", worker.name, worker.pid, worker.restarts.count)
        if is_first_time and all(each.was_ever_ready for each in self.workers):
            self._on_all_ready()

    def _note_failure(self, worker: Worker, why: str, code: int) -> None:
        """One that could never be started is the operator's matter; later ones are tried again and again."""
        if worker.was_ever_ready:
            _log.error("%s cannot be started: %s", worker.name, why)
        elif not self._is_stopping:
            print(f"muster serve: {why}", file=sys.stderr, flush=True)
            self._exit_code = code
            self.stop()

    def _tell_who_lives(self) -> None:
        """A short absence is not told: connections to a worker's port wait until its next process takes them."""
        live = [each.number for each in self.workers if each.is_ready or not each.restarts.is_hopeless]
        if live != self._live:
            self._live = live
            for worker in self.workers:
                if worker.channel is not None:
                    worker.channel.send({"live": live})
