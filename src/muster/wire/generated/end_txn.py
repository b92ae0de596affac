"""Generated from tools/codecs/schemas/end_txn.api by `make generate`; changes belong there."""

from __future__ import annotations

from mypy_extensions import mypyc_attr

from muster.wire.message import Message


@mypyc_attr(acyclic=True)
class EndTxnRequest(Message):
    __match_args__ = ("transactional_id", "producer_id", "producer_epoch", "committed")
    __slots__ = __match_args__

    def __init__(
        self,
        transactional_id: str = "",
        producer_id: int = 0,
        producer_epoch: int = 0,
        committed: bool = False,
    ) -> None:
        self.transactional_id = transactional_id
        self.producer_id = producer_id
        self.producer_epoch = producer_epoch
        self.committed = committed


@mypyc_attr(acyclic=True)
class EndTxnResponse(Message):
    __match_args__ = ("throttle_time_ms", "error_code", "producer_id", "producer_epoch")
    __slots__ = __match_args__

    def __init__(
        self,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        producer_id: int = -1,
        producer_epoch: int = -1,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.producer_id = producer_id
        self.producer_epoch = producer_epoch
