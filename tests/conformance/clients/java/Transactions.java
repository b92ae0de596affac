import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;

/** Transactions that end as their producer wants: records, and offsets of a group among them. */
final class Transactions {
    private Transactions() {}

    static void addTo(Map<String, Feature> features) {
        features.put("transactional producer", Transactions::commitAndAbort);
        features.put("transactions on several partitions", Transactions::severalPartitions);
        features.put("transaction with offsets", Transactions::offsets);
        features.put("transaction with offsets of a live member", Transactions::liveMember);
        features.put("consume, transform, produce", Transactions::transform);
    }

    static KafkaProducer<String, String> producer(Probe probe, String id, Object... more) {
        Object[] all = new Object[more.length + 2];
        all[0] = "transactional.id";
        all[1] = id;
        System.arraycopy(more, 0, all, 2, more.length);
        KafkaProducer<String, String> producer = Clients.producer(probe, all);
        producer.initTransactions();
        return producer;
    }

    static void send(KafkaProducer<String, String> producer, String topic, int partition, String... values) throws Exception {
        for (String value : values) {
            producer.send(new ProducerRecord<>(topic, partition, "k", value)).get();
        }
    }

    /** Up to the end that this isolation level may see now. */
    static List<String> read(Probe probe, String topic, int partition, String level) throws Exception {
        TopicPartition place = new TopicPartition(topic, partition);
        List<String> values = new ArrayList<>();
        try (KafkaConsumer<String, String> consumer = Clients.consumer(probe, null, "isolation.level", level)) {
            consumer.assign(List.of(place));
            consumer.seekToBeginning(List.of(place));
            long end = consumer.endOffsets(List.of(place)).get(place);
            while (consumer.position(place) < end) {
                consumer.poll(java.time.Duration.ofMillis(100)).forEach(record -> values.add(record.value()));
            }
        }
        return values;
    }

    static List<String> committed(Probe probe, String topic, int partition) throws Exception {
        return read(probe, topic, partition, "read_committed");
    }

    static List<String> everything(Probe probe, String topic, int partition) throws Exception {
        return read(probe, topic, partition, "read_uncommitted");
    }

    /** Markers may come after the answer to the producer. */
    static void untilCommitted(Probe probe, String topic, int partition, String... values) throws Exception {
        probe.until(topic + " has " + List.of(values), () -> committed(probe, topic, partition).equals(List.of(values)));
    }

    private static long end(Admin admin, TopicPartition place, IsolationLevel level) throws Exception {
        var asked = admin.listOffsets(Map.of(place, OffsetSpec.latest()), new ListOffsetsOptions(level));
        return asked.partitionResult(place).get().offset();
    }

    private static void commitAndAbort(Probe probe) throws Exception {
        Clients.topic(probe, "transactions", 1);
        TopicPartition place = new TopicPartition("transactions", 0);
        try (KafkaProducer<String, String> producer = producer(probe, "tx"); Admin admin = Clients.admin(probe)) {
            producer.beginTransaction();
            send(producer, "transactions", 0, "a1", "a2");
            probe.same("seen while open", List.of(), committed(probe, "transactions", 0));
            probe.same("seen uncommitted", List.of("a1", "a2"), everything(probe, "transactions", 0));
            probe.same("last stable offset", 0L, end(admin, place, IsolationLevel.READ_COMMITTED));
            probe.same("high watermark", 2L, end(admin, place, IsolationLevel.READ_UNCOMMITTED));
            producer.abortTransaction();
            producer.beginTransaction();
            send(producer, "transactions", 0, "b1");
            producer.commitTransaction();
            untilCommitted(probe, "transactions", 0, "b1");
            probe.same("all", List.of("a1", "a2", "b1"), everything(probe, "transactions", 0));
            producer.beginTransaction();
            producer.commitTransaction();
            producer.beginTransaction();
            producer.abortTransaction();
            probe.saw("end after two that were empty", end(admin, place, IsolationLevel.READ_COMMITTED));
        }
    }

    private static void severalPartitions(Probe probe) throws Exception {
        Clients.topic(probe, "tx-several", 3);
        List<List<String>> expected = List.of(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
        try (KafkaProducer<String, String> producer = producer(probe, "tx-several", "compression.type", "lz4", "linger.ms", 5)) {
            for (int number = 0; number < 20; number++) {
                producer.beginTransaction();
                for (int each = 0; each < 30; each++) {
                    String value = number + "." + each;
                    producer.send(new ProducerRecord<>("tx-several", each % 3, "k", value));
                    if (number % 3 != 0) {
                        expected.get(each % 3).add(value);
                    }
                }
                if (number % 3 == 0) {
                    producer.abortTransaction();
                } else {
                    producer.commitTransaction();
                }
            }
        }
        for (int partition = 0; partition < 3; partition++) {
            untilCommitted(probe, "tx-several", partition, expected.get(partition).toArray(new String[0]));
        }
    }

    private static OffsetAndMetadata committedOffset(Probe probe, String group, TopicPartition place) {
        try (KafkaConsumer<String, String> consumer = Clients.consumer(probe, group, "isolation.level", "read_committed")) {
            return consumer.committed(Set.of(place)).get(place);
        }
    }

    private static void offsets(Probe probe) throws Exception {
        Clients.topic(probe, "tx-offsets", 1);
        TopicPartition place = new TopicPartition("tx-offsets", 0);
        ConsumerGroupMetadata group = new ConsumerGroupMetadata("tx-offsets");
        try (KafkaProducer<String, String> producer = producer(probe, "tx-offsets")) {
            producer.beginTransaction();
            producer.sendOffsetsToTransaction(Map.of(place, new OffsetAndMetadata(3, "aborted")), group);
            producer.abortTransaction();
            probe.same("after an abort", null, committedOffset(probe, "tx-offsets", place));
            producer.beginTransaction();
            producer.sendOffsetsToTransaction(Map.of(place, new OffsetAndMetadata(5, "kept")), group);
            send(producer, "tx-offsets", 0, "with the offset");
            try (KafkaConsumer<String, String> consumer = Clients.consumer(probe, "tx-offsets",
                    "isolation.level", "read_committed", "default.api.timeout.ms", 1_000)) {
                // It requires a stable offset and asks again until its time is up.
                probe.fails("committed while open", org.apache.kafka.common.errors.TimeoutException.class,
                        () -> consumer.committed(Set.of(place)));
            }
            producer.commitTransaction();
            probe.same("after a commit", new OffsetAndMetadata(5, "kept"), committedOffset(probe, "tx-offsets", place));
            untilCommitted(probe, "tx-offsets", 0, "with the offset");
        }
    }

    /** KIP-447: the group checks member and generation. */
    private static void liveMember(Probe probe) throws Exception {
        Clients.topic(probe, "tx-member", 2);
        TopicPartition place = new TopicPartition("tx-member", 0);
        Map<TopicPartition, OffsetAndMetadata> offsets = Map.of(place, new OffsetAndMetadata(1));
        try (KafkaConsumer<String, String> consumer = Clients.consumer(probe, "tx-member", "isolation.level", "read_committed");
                KafkaProducer<String, String> producer = producer(probe, "tx-member")) {
            consumer.subscribe(List.of("tx-member"));
            probe.until("it has both", () -> {
                consumer.poll(java.time.Duration.ofMillis(100));
                return consumer.assignment().size() == 2;
            });
            ConsumerGroupMetadata now = consumer.groupMetadata();
            ConsumerGroupMetadata past = new ConsumerGroupMetadata("tx-member", now.generationId() - 1, now.memberId(), now.groupInstanceId());
            ConsumerGroupMetadata stranger = new ConsumerGroupMetadata("tx-member", now.generationId(), "nobody", now.groupInstanceId());
            for (ConsumerGroupMetadata wrong : List.of(past, stranger)) {
                producer.beginTransaction();
                probe.fails(wrong == past ? "a past generation" : "an unknown member", CommitFailedException.class, () -> {
                    producer.sendOffsetsToTransaction(offsets, wrong);
                    return null;
                });
                producer.abortTransaction();
            }
            producer.beginTransaction();
            producer.sendOffsetsToTransaction(offsets, now);
            producer.commitTransaction();
            probe.same("committed", new OffsetAndMetadata(1), consumer.committed(Set.of(place)).get(place));
        }
    }

    private static void transform(Probe probe) throws Exception {
        Clients.topic(probe, "tx-source", 2);
        Clients.topic(probe, "tx-target", 1);
        Clients.fill(probe, "tx-source", 2, 50);
        List<String> made = new ArrayList<>();
        try (KafkaConsumer<String, String> consumer = Clients.consumer(probe, "tx-transform",
                        "isolation.level", "read_committed", "max.poll.records", 20);
                KafkaProducer<String, String> producer = producer(probe, "tx-transform")) {
            consumer.subscribe(List.of("tx-source"));
            int round = 0;
            while (made.size() < 100) {
                List<ConsumerRecord<String, String>> taken = Clients.take(probe, consumer, 1);
                producer.beginTransaction();
                for (ConsumerRecord<String, String> each : taken) {
                    producer.send(new ProducerRecord<>("tx-target", 0, each.key(), each.value().toUpperCase()));
                }
                Map<TopicPartition, OffsetAndMetadata> offsets = new java.util.HashMap<>();
                taken.forEach(each -> offsets.put(new TopicPartition(each.topic(), each.partition()), new OffsetAndMetadata(each.offset() + 1)));
                producer.sendOffsetsToTransaction(offsets, consumer.groupMetadata());
                if (round++ % 3 == 1) {
                    producer.abortTransaction();
                    consumer.committed(consumer.assignment()).forEach((place, at) -> consumer.seek(place, at == null ? 0 : at.offset()));
                } else {
                    producer.commitTransaction();
                    taken.forEach(each -> made.add(each.value().toUpperCase()));
                }
            }
            consumer.committed(consumer.assignment()).forEach((place, at) -> probe.same("committed of " + place, 50L, at.offset()));
        }
        untilCommitted(probe, "tx-target", 0, made.toArray(new String[0]));
    }
}
