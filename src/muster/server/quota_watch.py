"""From the quotas that are kept to those at work: connections are throttled as long as there is something to throttle by.

Called once at the start. A server without quotas imports nothing of them and its connections do not know that there are any.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from muster.server.admission import windows_of

if TYPE_CHECKING:
    from muster.runtime.node import Node
    from muster.server.listener import Listener

_DOCUMENT = "quotas.json"


def follow_quotas(node: object, listener: Listener) -> None:
    """Put in force what is kept, and what will be. StorageError if it cannot be read. A test's node may have no quotas."""
    from muster.runtime.node import Node

    if not isinstance(node, Node):
        return
    watch = _Watch(node, listener)
    node.on_quotas_changed = watch.apply
    if node.broker.store.read_document(_DOCUMENT) is not None:
        watch.apply()


class _Watch:
    def __init__(self, node: Node, listener: Listener) -> None:
        self._node = node
        self._listener = listener

    def apply(self) -> None:
        from muster.security.quotas import Quotas
        from muster.server.settings import settings_of
        from muster.server.throttle import Throttling

        listener, node = self._listener, self._node
        settings = settings_of(node)
        quotas = listener.quotas
        if quotas is None:
            quotas = listener.quotas = Quotas(windows_of(settings), windows_of(settings, "controller."))
            listener.throttling = Throttling(quotas, node.clock)
        quotas.replace(node.quotas.quotas)
        listener.throttle_all()
