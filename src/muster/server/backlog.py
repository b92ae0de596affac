"""What a client has sent and is not served yet: parts of frames, and requests behind the one in work.

Knows where frames begin and end, and how much may wait. Made by a connection when something has to be kept and gone when all of
it is served: most clients wait for each answer, and never have one.
"""

from __future__ import annotations

import asyncio
from io import BytesIO
from struct import Struct
from typing import Final

from muster.server.limits import FRAME_SIZE_BYTES, LARGE_FRAME_BYTES, WAITING_BYTES_PER_CONNECTION

_frame_size = Struct(">i").unpack_from
_API_KEY_BYTES: Final = 2


class Backlog:
    __slots__ = ("_large", "_large_is_produce", "_large_size", "_missing", "_octets", "_taken", "is_held_back")

    def __init__(self) -> None:
        self._octets = bytearray()
        self._taken = 0
        """So many of them are frames that were taken; see `drop_taken`."""
        self._large: BytesIO | None = None
        """The next frame, without its size, if it is large and a part of it has still to come. To copy 60 MB takes 30 ms, in which
        nobody else is served; what was collected here is taken without a copy."""
        self._large_size = 0
        self._large_is_produce = False
        self._missing = 0
        """So many bytes of the large frame have still to come."""
        self.is_held_back = False
        """Nothing more is read from the client for now."""

    def __len__(self) -> int:
        waiting = len(self._octets) - self._taken
        return waiting if self._large is None else waiting + FRAME_SIZE_BYTES + self._large_size - self._missing

    def add(self, data: bytes) -> None:
        if self._large is not None and self._missing:
            part = data[: self._missing]
            self._large.write(part)
            self._missing -= len(part)
            data = data[len(part) :]
        self._octets += data

    def next_size(self) -> int | None:
        """What the next frame says that its size is; None if not even that has come as a whole."""
        if self._large is not None:
            return self._large_size
        if len(self._octets) < self._taken + FRAME_SIZE_BYTES:
            return None
        (size,) = _frame_size(self._octets, self._taken)
        return int(size)

    def next_is_produce(self) -> bool:
        """Whether the next frame is a Produce request, or may be one as far as it has come."""
        if self._large is not None:
            return self._large_is_produce
        begin = self._taken + FRAME_SIZE_BYTES
        return not any(self._octets[begin : begin + 2])

    def take(self, size: int) -> bytes | None:
        """The next frame, of this size, without it; None if a part of it has still to come."""
        if self._large is not None:
            return self._take_large()
        begin = self._taken + FRAME_SIZE_BYTES
        end = begin + size
        if len(self._octets) < end:
            if size > LARGE_FRAME_BYTES and len(self._octets) >= begin + _API_KEY_BYTES:
                self._begin_large(size)
            return None
        self._taken = end
        with memoryview(self._octets) as view:  # a slice of the octets themselves would be copied twice
            return bytes(view[begin:end])

    def _begin_large(self, size: int) -> None:
        """Collect the rest of the next frame apart. Everything that was not taken yet belongs to it."""
        self._large_is_produce = self.next_is_produce()
        self._large_size = size
        large = BytesIO()
        with memoryview(self._octets) as view:
            self._missing = size - large.write(view[self._taken + FRAME_SIZE_BYTES :])
        self._large = large
        self._octets = bytearray()
        self._taken = 0

    def _take_large(self) -> bytes | None:
        if self._large is None or self._missing:
            return None
        frame = self._large.getvalue()  # its own buffer, not a copy
        self._large = None
        return frame

    def drop_taken(self) -> None:
        """At the end of a burst, not with each frame: the rest is moved then."""
        del self._octets[: self._taken]
        self._taken = 0

    def hold_back(self, transport: asyncio.Transport, *, is_blocked: bool, may_read: bool) -> None:
        """Bytes pile up only while no request is taken, then not beyond a limit; and while there is room in the budget."""
        hold = not may_read or (is_blocked and len(self) > WAITING_BYTES_PER_CONNECTION)
        if hold and not self.is_held_back:
            transport.pause_reading()
        elif self.is_held_back and not hold:
            transport.resume_reading()
        self.is_held_back = hold
