"""How the runtime redeems a ticket. The server's `Call` is one; a part of a bigger answer is one; tests have their
own.
"""

from __future__ import annotations

from mypy_extensions import mypyc_attr

from muster.wire.value import Value


@mypyc_attr(allow_interpreted_subclasses=True)
class Redeemable:
    """A ticket as the runtime sees it. A base class rather than a protocol: compiled code then calls it directly."""

    __slots__ = ("answered",)

    def __init__(self) -> None:
        self.answered = False

    @property
    def is_abandoned(self) -> bool:
        """The client that asked has gone. The ticket may still be redeemed, but need not be."""
        raise NotImplementedError

    def redeem(self, reply: Value) -> None:
        """Exactly once. A client that has gone away is not an error."""
        raise NotImplementedError
