"""`NothingToExplain`: why there is no answer, and what to do about it. The one exception of this room."""

from __future__ import annotations


class NothingToExplain(Exception):
    """The text is a sentence for the person who asked."""
