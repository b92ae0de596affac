"""How the runtime redeems a ticket. The server's `Call` is one; a part of a bigger answer is one; tests have their
own.
"""

from __future__ import annotations

from typing import Protocol

from muster.core.replies import Reply


class Redeemable(Protocol):
    """A ticket as the runtime sees it."""

    @property
    def answered(self) -> bool: ...

    @property
    def is_abandoned(self) -> bool:
        """Whoever asked has gone. It may be redeemed all the same, and need not be."""
        ...

    def redeem(self, reply: Reply) -> None:
        """Exactly once. A client that has gone away is not an error."""
        ...
