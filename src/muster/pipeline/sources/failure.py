"""What a source says when it cannot be read at all. Single bad records and batches never raise: they go to quarantine."""

from __future__ import annotations


class SourceError(Exception):
    """The source is missing, unreachable or not what it was said to be; the text says which and what to do."""
