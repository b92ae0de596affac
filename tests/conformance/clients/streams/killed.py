"""An application that counts words exactly once: left alone, and killed in the middle of its work again and again.

With read_committed every word is seen with 1, 2, ... n, each once and in order, where n is how often it was fed. What a killed
application left behind is seen with read_uncommitted only.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from random import Random
from typing import Final

from tests.conformance.clients.streams.application import Application, Counts

KILLS: Final = 10
LINES_A_ROUND: Final = 400
WORDS_A_LINE: Final = 4
WORDS: Final = 50
STATE_LOST_AT: Final = (4, 8)
"""After these kills the application comes back without its directory."""


def counts_undisturbed(application: Application) -> None:
    application.create_topics()
    fed: Counter[str] = Counter()
    application.feed(_lines(Random(1), fed))
    application.start()
    counts = Counts(application, "read_committed")
    application.until("all is counted", lambda: counts.read() >= fed.total())
    counts.close()
    _check(counts, fed)


def counts_while_killed(application: Application) -> None:
    """Each kill comes when part of what was fed is counted, and not all of it."""
    application.create_topics()
    random = Random(2)
    fed: Counter[str] = Counter()
    committed, written = Counts(application, "read_committed"), Counts(application, "read_uncommitted")
    began = time.monotonic()
    for number in range(1, KILLS + 1):
        application.feed(_lines(random, fed))
        application.start()
        target = written.read() + random.randint(1, LINES_A_ROUND * WORDS_A_LINE // 2)
        application.until(f"kill {number}: some is counted", lambda target=target: written.read() >= target)  # type: ignore[misc]
        application.kill()
        if number in STATE_LOST_AT:
            application.forget_state()
    application.start()
    application.until("all is counted", lambda: committed.read() >= fed.total())
    application.kill_all()
    aborted = written.read_to_end() - committed.read_to_end()
    for each in (committed, written):
        each.close()
    _check(committed, fed)
    assert aborted, "no kill came in the middle of a transaction: this has shown nothing"
    application.talk.append(
        f"{fed.total()} words, {KILLS} kills in {time.monotonic() - began:.0f} s; {aborted} counts were written and aborted"
    )


def counts_while_frozen(application: Application) -> None:
    """It stands still in the middle of its work, another one takes over; when it goes on it is fenced, and rejoins."""
    application.create_topics()
    fed: Counter[str] = Counter()
    committed, written = Counts(application, "read_committed"), Counts(application, "read_uncommitted")
    application.feed(_lines(Random(3), fed))
    application.start("first")
    application.until("some is counted", lambda: written.read() > LINES_A_ROUND * WORDS_A_LINE // 4)
    application.freeze("first")
    application.start("second")
    application.until("the second one has counted all", lambda: committed.read() >= fed.total())
    application.thaw("first")
    application.feed(_lines(Random(4), fed))
    application.until("more is counted", lambda: committed.read() >= fed.total())
    application.kill("second")
    application.feed(_lines(Random(5), fed))
    application.until("the first one has counted the rest", lambda: committed.read() >= fed.total())
    application.kill_all()
    committed.read_to_end()
    for each in (committed, written):
        each.close()
    _check(committed, fed)


def _lines(random: Random, fed: Counter[str]) -> Iterator[str]:
    for _ in range(LINES_A_ROUND):
        words = [f"word{random.randrange(WORDS)}" for _ in range(WORDS_A_LINE)]
        fed.update(words)
        yield " ".join(words)


def _check(counts: Counts, fed: Counter[str]) -> None:
    wrong = {word: seen for word, seen in counts.by_word.items() if seen != list(range(1, fed[word] + 1))}
    assert not wrong, f"words are not seen with 1, 2, ... n: {str(wrong)[:400]}"
    assert counts.by_word.keys() == fed.keys(), f"missing: {sorted(fed.keys() - counts.by_word.keys())}"
