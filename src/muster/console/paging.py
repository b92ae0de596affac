"""A page of a long list, by the number that the address has. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Portion(Generic[T]):
    items: Sequence[T]
    page: int
    """From 1 on; a number beyond the last page is the last page's."""
    pages: int
    total: int


def portion_of(found: Sequence[T], page: int, size: int) -> Portion[T]:
    pages = max(1, -(-len(found) // size))
    page = min(max(1, page), pages)
    return Portion(found[(page - 1) * size : page * size], page, pages, len(found))
