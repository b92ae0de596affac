"""What a pipe must not get: frames, and colours or whatever else a terminal acts on."""

from __future__ import annotations

import re

_FRAMES_AND_COLOURS = re.compile("[\u2500-\u259f\x1b]")


def assert_plain(*texts: str) -> None:
    """There is something to read, and nothing of it is for a terminal alone."""
    assert "".join(texts).strip()
    assert_no_frames(*texts)


def assert_no_frames(*texts: str) -> None:
    for text in texts:
        assert not _FRAMES_AND_COLOURS.search(text), text
