"""A broker on a memory store with a clock and ids that tests control, and short ways to write and read."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import count

from muster.log.contract import LogStore
from muster.log.memory import MemoryStore
from muster.topics.broker import Broker
from muster.topics.broker_config import BrokerConfig
from muster.topics.creation import NewTopic
from muster.topics.fetch import FetchAsk, FetchRead, PartitionRead
from muster.topics.produce import ProduceResult, ProduceTerms
from muster.topics.topic import Partition
from muster.wire.batch import Record, encode_batch

NODE_ID = 7
NOW_MS = 1_700_000_000_000


def counted_bytes() -> Callable[[int], bytes]:
    """Not random: 1, 2, 3 ... in the last bytes, so that ids are told apart and repeat from run to run."""
    numbers = count(1)
    return lambda size: next(numbers).to_bytes(size, "big")


def started(store: LogStore | None = None, config: BrokerConfig | None = None, **broker_settings: str) -> Broker:
    """Setting names are Kafka's with underscores for dots."""
    settings = {name.replace("_", "."): value for name, value in broker_settings.items()}
    broker = Broker(store or MemoryStore(), config or BrokerConfig(NODE_ID), counted_bytes(), settings)
    broker.start()
    return broker


def with_topic(broker: Broker, name: str = "t", partitions: int = 1, **configs: str) -> Partition:
    """Make a topic and return its partition 0."""
    pairs = [(key.replace("_", "."), value) for key, value in configs.items()]
    (made,) = broker.create_topics([NewTopic(name, partitions, configs=pairs)])
    assert made.error_code == 0, made
    return broker.partition(name, 0)


def records(*values: bytes, key: bytes | None = b"k", timestamp_ms: int = NOW_MS) -> list[Record]:
    return [Record(index, timestamp_ms, key, value) for index, value in enumerate(values)]


def batch(*values: bytes, key: bytes | None = b"k", timestamp_ms: int = NOW_MS, compression: int = 0) -> bytes:
    return encode_batch(records(*values, key=key, timestamp_ms=timestamp_ms), compression=compression)


def numbered(producer_id: int, sequence: int, size: int = 1, epoch: int = 0) -> bytes:
    """A batch of an idempotent producer."""
    content = records(*(b"v" for _ in range(size)))
    return encode_batch(content, producer_id=producer_id, producer_epoch=epoch, base_sequence=sequence)


def send(
    broker: Broker, content: bytes | None, terms: ProduceTerms | None = None, *, now_ms: int = NOW_MS
) -> ProduceResult:
    """To topic t, partition 0; still to be committed."""
    return broker.produce("t", 0, content, terms or ProduceTerms(), now_ms)


def commit(broker: Broker) -> None:
    under_way = broker.store.begin_commit()
    if under_way is not None:
        under_way.run()
        under_way.finish()


def send_durably(broker: Broker, content: bytes, *, now_ms: int = NOW_MS) -> ProduceResult:
    result = send(broker, content, now_ms=now_ms)
    assert result.error_code == 0, result
    commit(broker)
    return result


def ask(offset: int = 0, max_bytes: int = 1_000_000, topic: str = "t", partition: int = 0) -> FetchAsk:
    return FetchAsk(topic, partition, offset, max_bytes)


def unread(*asks: FetchAsk) -> FetchRead:
    """A fetch for which nothing was read yet."""
    return FetchRead([PartitionRead(each) for each in asks], 0, failed=False)


def fetch(broker: Broker, *asks: FetchAsk, max_bytes: int = 1_000_000) -> FetchRead:
    return broker.fetch(asks, max_bytes)


def configs_of(broker: Broker, topic: str, names: Sequence[str]) -> Mapping[str, str]:
    return {entry.name: entry.value for entry in broker.describe_topic_configs(topic, names)}
