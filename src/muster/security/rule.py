"""One permission or denial, as the authorizer knows it, wherever it was written: in a file of rules or in an ACL."""

from __future__ import annotations

from typing import Final

from muster.security.resources import Operation, ResourceType
from muster.wire.late_dataclass import dataclass

ANY: Final = "*"
ANY_USER: Final = "User:*"


@dataclass(slots=True, frozen=True)
class Rule:
    """`*` as principal (`User:*`), host or literal name stands for all of them."""

    is_denial: bool
    principal: str
    host: str
    operations: frozenset[Operation]
    resource_type: ResourceType
    name: str
    is_prefix: bool = False
