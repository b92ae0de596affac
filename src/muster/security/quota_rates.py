"""How much in how much time: Kafka's windowed rate and its token bucket, and how long to wait until a bound is kept again.

Times are arguments, in milliseconds of a clock that nobody sets. Nothing here knows whose rate it is.
"""

from __future__ import annotations

from collections import deque
from typing import NamedTuple


class Windows(NamedTuple):
    """`quota.window.num` and `quota.window.size.seconds`."""

    number: int
    size_ms: int

    @property
    def whole_ms(self) -> int:
        return self.number * self.size_ms


class WindowedRate:
    """A sum over the last windows. A rate is taken over all windows but one at least: so a burst after silence is paid for by
    the time that follows it, as in Kafka."""

    __slots__ = ("_samples", "_windows", "last_ms")

    def __init__(self, windows: Windows) -> None:
        self._windows = windows
        self._samples: deque[list[float]] = deque()
        """[beginning, sum], oldest first."""
        self.last_ms = 0

    def record(self, amount: float, now_ms: int) -> None:
        self.last_ms = now_ms
        samples = self._samples
        if not samples or now_ms - samples[-1][0] >= self._windows.size_ms:
            self._forget(now_ms)
            samples.append([now_ms, 0.0])
        samples[-1][1] += amount

    def total(self, now_ms: int) -> float:
        self._forget(now_ms)
        return sum(sample[1] for sample in self._samples)

    def wait_ms(self, bound: float, now_ms: int) -> int:
        """How long nothing may come until the rate is at the bound; 0 if it is."""
        total = self.total(now_ms)
        if not total:
            return 0
        elapsed_ms = self._elapsed_ms(now_ms)
        allowed = bound * elapsed_ms / 1000
        return 0 if total <= allowed else max(1, round((total - allowed) / bound * 1000))

    def _elapsed_ms(self, now_ms: int) -> int:
        windows = self._windows
        elapsed_ms = now_ms - int(self._samples[0][0])
        missing = windows.number - 1 - elapsed_ms // windows.size_ms
        if missing > 0:
            elapsed_ms += missing * windows.size_ms
        return elapsed_ms or windows.size_ms

    def _forget(self, now_ms: int) -> None:
        samples = self._samples
        oldest_ms = now_ms - self._windows.whole_ms
        while samples and samples[0][0] <= oldest_ms:
            samples.popleft()


class TokenBucket:
    """KIP-599: what is not used is saved up, for all windows at most. May go below zero: who finds something in it may take
    more than there is, and everybody waits until it is paid back."""

    __slots__ = ("_filled_ms", "_tokens", "_windows", "last_ms")

    def __init__(self, windows: Windows) -> None:
        self._windows = windows
        self._tokens: float | None = None
        self._filled_ms = 0
        self.last_ms = 0

    def take(self, amount: float, bound: float, now_ms: int) -> None:
        self._fill(bound, now_ms)
        assert self._tokens is not None
        self._tokens -= amount
        self.last_ms = now_ms

    def wait_ms(self, bound: float, now_ms: int) -> int:
        """How long until it is not below zero; 0 if it is not."""
        self._fill(bound, now_ms)
        assert self._tokens is not None
        return 0 if self._tokens >= 0 else max(1, round(-self._tokens / bound * 1000))

    def _fill(self, bound: float, now_ms: int) -> None:
        largest = bound * self._windows.whole_ms / 1000
        if self._tokens is None:
            self._tokens = largest
        else:
            self._tokens = min(largest, self._tokens + bound * (now_ms - self._filled_ms) / 1000)
        self._filled_ms = now_ms


class RateLimit:
    """A bound, and what those for whom it holds have used of it."""

    __slots__ = ("bound", "rate")

    def __init__(self, bound: float, rate: WindowedRate) -> None:
        self.bound = bound
        self.rate = rate

    def charge(self, amount: float, now_ms: int) -> int:
        """Use so much; returns for how long to stop then, 0 for not at all."""
        self.rate.record(amount, now_ms)
        return self.rate.wait_ms(self.bound, now_ms)

    def __repr__(self) -> str:
        return f"<RateLimit {self.bound:g}/s>"


class MutationLimit:
    __slots__ = ("bound", "bucket")

    def __init__(self, bound: float, bucket: TokenBucket) -> None:
        self.bound = bound
        self.bucket = bucket

    def charge(self, amount: float, now_ms: int) -> int:
        self.bucket.take(amount, self.bound, now_ms)
        return self.bucket.wait_ms(self.bound, now_ms)

    def wait_ms(self, now_ms: int) -> int:
        return self.bucket.wait_ms(self.bound, now_ms)
