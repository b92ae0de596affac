"""The exceptions of this room."""

from __future__ import annotations


class TrackingError(Exception):
    """A query cannot be tracked, or a checkpoint not be used, as asked; the text says why and what to do."""


class OffsetShapeError(Exception):
    """The offset of a source is not made of topics, partitions and numbers."""
