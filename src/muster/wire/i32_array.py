"""An array of 32-bit numbers that a request brought, unboxed: no object for each of a hundred partition numbers.

The native dialect's decoders give one for every array of `i32`; those of the struct dialect give lists, as `struct` does.
Whoever reads a message may take either for a sequence; who works on hundreds of numbers asks `i32_array` for this form.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from librt.vecs import vec
from mypy_extensions import i32, mypyc_attr


@mypyc_attr(acyclic=True)
class I32Array:
    """Prints and compares like a list of the same numbers. Never changed."""

    __slots__ = ("numbers",)

    def __init__(self, numbers: vec[i32]) -> None:
        self.numbers = numbers

    def listed(self) -> list[int]:
        listed: list[int] = []
        for number in self.numbers:
            listed.append(number)
        return listed

    def __len__(self) -> int:
        return len(self.numbers)

    def __iter__(self) -> Iterator[int]:
        return iter(self.listed())

    def __getitem__(self, index: int) -> int:
        return self.numbers[index]

    def __eq__(self, other: object) -> bool:
        if isinstance(other, I32Array):
            return self.listed() == other.listed()
        return self.listed() == list(other) if isinstance(other, (list, tuple)) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return repr(self.listed())

    def repeats(self) -> int:
        """How many of the numbers came before in it; seen at once if they ascend, as they mostly do."""
        numbers = self.numbers
        before: i32 = -2147483648
        is_first = True
        for number in numbers:
            if number <= before and not is_first:
                listed = self.listed()
                return len(listed) - len(set(listed))
            before = number
            is_first = False
        return 0


def i32_array(numbers: Sequence[int]) -> I32Array:
    """The numbers of a message, whoever has read it or made it."""
    return numbers if isinstance(numbers, I32Array) else I32Array(vec[i32](numbers))
