"""The test kit: a broker in this process, with a clock that tests move and faults that they switch on.

with Broker(topics={"orders": 3}) as broker:
    consumer = MyConsumer(bootstrap_servers=broker.bootstrap_servers)
    broker.group("billing").wait(state="Stable", members=1)
    broker.clock.advance(seconds=45)

docs/testing.md explains all of it. The pytest fixtures are in `plugin`, the same controls over HTTP in `control_routes`.
"""

from muster.testing.broker import Broker
from muster.testing.faults import Fault, UnusedFault
from muster.testing.group_views import GroupView, MemberView
from muster.testing.group_waits import WaitTimeout
from muster.testing.topic_records import TopicRecord
from muster.testing.transaction_views import PendingOffsetView, TransactionView

__all__ = [
    "Broker",
    "Fault",
    "GroupView",
    "MemberView",
    "PendingOffsetView",
    "TopicRecord",
    "TransactionView",
    "UnusedFault",
    "WaitTimeout",
]
