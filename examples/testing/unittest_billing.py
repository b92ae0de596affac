"""The kit with Python's own unittest: one broker for a class, a fresh state for each test.

python -m unittest examples/testing/unittest_billing.py
"""

from __future__ import annotations

import unittest
from typing import ClassVar

from confluent_kafka import Consumer

from muster.testing import Broker


class BillingTest(unittest.TestCase):
    broker: ClassVar[Broker]

    @classmethod
    def setUpClass(cls) -> None:
        cls.broker = cls.enterClassContext(Broker(topics={"orders": 1}))

    def setUp(self) -> None:
        self.broker.reset()
        self.consumer = Consumer(
            {"bootstrap.servers": self.broker.bootstrap_servers, "group.id": "billing", "auto.offset.reset": "earliest"}
        )
        self.addCleanup(self.consumer.close)

    def test_every_order_is_billed(self) -> None:
        self.broker.produce("orders", "tea", "pots")
        self.consumer.subscribe(["orders"])
        self.assertEqual([each.value() for each in self.consumer.consume(2, timeout=30)], [b"tea", b"pots"])

    def test_orders_are_billed_although_an_answer_is_lost(self) -> None:
        lost = self.broker.faults.drop_reply("JoinGroup")
        self.broker.produce("orders", "tea", "pots")
        self.consumer.subscribe(["orders"])
        self.assertEqual([each.value() for each in self.consumer.consume(2, timeout=30)], [b"tea", b"pots"])
        self.assertEqual(lost.uses, 1)

    def test_a_member_without_heartbeats_loses_its_place(self) -> None:
        self.consumer.subscribe(["orders"])
        while self.broker.group("billing").state() != "Stable":
            self.consumer.poll(0.1)
        self.broker.clock.advance(minutes=10)
        self.assertIn("no heartbeat within the session timeout", self.broker.group("billing").explain())


if __name__ == "__main__":
    unittest.main()
