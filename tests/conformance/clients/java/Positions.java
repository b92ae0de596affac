import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.NoOffsetForPartitionException;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetAndTimestamp;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.OffsetMetadataTooLarge;

/** Where consumers stand: committed offsets, resets, seeks. */
final class Positions {
    private Positions() {}

    static void addTo(Map<String, Feature> features) {
        features.put("offsets resume after a restart", Positions::resume);
        features.put("auto commit", Positions::autoCommit);
        features.put("commit outside a group", Positions::outside);
        features.put("commit errors", Positions::errors);
        features.put("offset resets", Positions::resets);
        features.put("seek and offsets for times", Positions::seek);
        features.put("records as they were sent", Positions::content);
        features.put("read committed without transactions", Positions::readCommitted);
        features.put("fetch limits", Positions::limits);
    }

    private static void resume(Probe probe) throws Exception {
        Clients.topic(probe, "resume", 1);
        Clients.fill(probe, "resume", 1, 20);
        TopicPartition partition = new TopicPartition("resume", 0);
        try (KafkaConsumer<String, String> consumer = Clients.consumer(probe, "resume", "max.poll.records", 5)) {
            consumer.subscribe(List.of("resume"));
            Clients.take(probe, consumer, 10);
            var offset = new OffsetAndMetadata(7, Optional.of(0), "seven");
            consumer.commitSync(Map.of(partition, offset));
            probe.same("committed", offset, consumer.committed(Set.of(partition)).get(partition));
        }
        try (KafkaConsumer<String, String> consumer = Clients.consumer(probe, "resume")) {
            consumer.subscribe(List.of("resume"));
            probe.same("first after a restart", 7L, Clients.take(probe, consumer, 1).get(0).offset());
            var done = new AtomicReference<Object>();
            consumer.commitAsync((offsets, error) -> done.set(error == null ? offsets : error));
            probe.until("commitAsync is answered", () -> {
                consumer.poll(Duration.ofMillis(50));
                return done.get() != null;
            });
            probe.saw("committed asynchronously", done.get());
        }
    }

    private static void autoCommit(Probe probe) throws Exception {
        Clients.topic(probe, "auto", 1);
        Clients.fill(probe, "auto", 1, 6);
        Object[] settings = {"enable.auto.commit", true, "auto.commit.interval.ms", 100};
        try (KafkaConsumer<String, String> consumer = Clients.consumer(probe, "auto", settings)) {
            consumer.subscribe(List.of("auto"));
            Clients.take(probe, consumer, 6);
        }
        Clients.fill(probe, "auto", 1, 1);
        try (KafkaConsumer<String, String> consumer = Clients.consumer(probe, "auto", settings)) {
            consumer.subscribe(List.of("auto"));
            probe.same("goes on at", 6L, Clients.take(probe, consumer, 1).get(0).offset());
        }
    }

    /** A consumer that assigns itself commits with generation -1 to a group that has no members. */
    private static void outside(Probe probe) throws Exception {
        Clients.topic(probe, "outside", 2);
        Clients.fill(probe, "outside", 2, 3);
        TopicPartition partition = new TopicPartition("outside", 1);
        try (KafkaConsumer<String, String> consumer = Clients.consumer(probe, "outside")) {
            consumer.assign(List.of(partition));
            Clients.take(probe, consumer, 3);
            consumer.commitSync();
            probe.same("committed", 3L, consumer.committed(Set.of(partition)).get(partition).offset());
            probe.same("not committed", null, consumer.committed(Set.of(new TopicPartition("outside", 0)))
                    .get(new TopicPartition("outside", 0)));
        }
        try (Member member = new Member("member", Clients.consumer(probe, "outside"), "outside");
                KafkaConsumer<String, String> consumer = Clients.consumer(probe, "outside")) {
            probe.until("the group has a member", () -> member.partitions().size() == 2);
            consumer.assign(List.of(partition));
            probe.fails("a commit from outside while there are members", RuntimeException.class, () -> {
                consumer.commitSync(Map.of(partition, new OffsetAndMetadata(1)));
                return null;
            });
        }
    }

    private static void errors(Probe probe) throws Exception {
        Clients.topic(probe, "commit-errors", 1);
        TopicPartition partition = new TopicPartition("commit-errors", 0);
        try (KafkaConsumer<String, String> consumer = Clients.consumer(probe, "commit-errors")) {
            consumer.assign(List.of(partition));
            probe.fails("metadata of 5000 characters", OffsetMetadataTooLarge.class, () -> {
                consumer.commitSync(Map.of(partition, new OffsetAndMetadata(1, "m".repeat(5_000))));
                return null;
            });
            probe.fails("a partition that does not exist", RuntimeException.class, () -> {
                var nowhere = new TopicPartition("no-such-topic-at-all", 3);
                consumer.commitSync(Map.of(nowhere, new OffsetAndMetadata(1)), Duration.ofSeconds(2));
                return null;
            });
        }
    }

    private static void resets(Probe probe) throws Exception {
        Clients.topic(probe, "resets", 1);
        Clients.fill(probe, "resets", 1, 5);
        TopicPartition partition = new TopicPartition("resets", 0);
        try (KafkaConsumer<String, String> consumer = Clients.consumer(probe, "resets", "auto.offset.reset", "none")) {
            consumer.subscribe(List.of("resets"));
            probe.fails("no offset and no reset", NoOffsetForPartitionException.class, () -> Clients.take(probe, consumer, 1));
        }
        try (KafkaConsumer<String, String> consumer = Clients.consumer(probe, "resets", "auto.offset.reset", "latest")) {
            consumer.assign(List.of(partition));
            probe.same("latest", 5L, consumer.position(partition));
        }
        // Timestamps of `fill` are of 1970; one record of today is what the last day holds.
        try (var producer = Clients.producer(probe)) {
            producer.send(new ProducerRecord<>("resets", "k", "of today")).get();
        }
        try (KafkaConsumer<String, String> consumer = Clients.consumer(probe, "resets", "auto.offset.reset", "by_duration:P1D")) {
            consumer.assign(List.of(partition));
            probe.same("of the last day", 5L, consumer.position(partition));
        }
        try (KafkaConsumer<String, String> consumer = Clients.consumer(probe, "resets", "auto.offset.reset", "earliest")) {
            consumer.assign(List.of(partition));
            consumer.seek(partition, 1_000);
            probe.same("out of range goes to the reset", 0L, Clients.take(probe, consumer, 1).get(0).offset());
        }
    }

    private static void seek(Probe probe) throws Exception {
        Clients.topic(probe, "seek", 1);
        Clients.fill(probe, "seek", 1, 10);
        TopicPartition partition = new TopicPartition("seek", 0);
        try (KafkaConsumer<String, String> consumer = Clients.consumer(probe, null)) {
            consumer.assign(List.of(partition));
            probe.same("beginning", Map.of(partition, 0L), consumer.beginningOffsets(List.of(partition)));
            probe.same("end", Map.of(partition, 10L), consumer.endOffsets(List.of(partition)));
            Map<TopicPartition, OffsetAndTimestamp> found = consumer.offsetsForTimes(Map.of(partition, 1_004L));
            probe.same("offset at 1004", 4L, found.get(partition).offset());
            probe.saw("leader epoch at 1004", found.get(partition).leaderEpoch());
            probe.same("after the last", null, consumer.offsetsForTimes(Map.of(partition, 5_000L)).get(partition));
            consumer.seek(partition, 8);
            probe.same("after a seek", "seek-0-8", Clients.take(probe, consumer, 2).get(0).value());
            probe.same("lag", 0L, consumer.currentLag(partition).getAsLong());
            probe.saw("partitions", consumer.partitionsFor("seek"));
            probe.holds("topics list has it", consumer.listTopics().containsKey("seek"));
        }
    }

    private static void content(Probe probe) throws Exception {
        Clients.topic(probe, "content", 1);
        try (var producer = Clients.producer(probe)) {
            var record = new ProducerRecord<String, String>("content", 0, 77L, null, "ümläut ✓");
            record.headers().add("one", new byte[] {1, 2}).add("none", null).add("one", new byte[0]);
            producer.send(record).get();
            producer.send(new ProducerRecord<String, String>("content", 0, 78L, "key", null)).get();
        }
        try (KafkaConsumer<String, String> consumer = Clients.consumer(probe, null)) {
            consumer.assign(List.of(new TopicPartition("content", 0)));
            for (ConsumerRecord<String, String> each : Clients.take(probe, consumer, 2)) {
                probe.saw("record " + each.offset(), each);
            }
        }
    }

    private static void readCommitted(Probe probe) throws Exception {
        Clients.topic(probe, "committed", 1);
        Clients.fill(probe, "committed", 1, 5);
        try (KafkaConsumer<String, String> consumer = Clients.consumer(probe, "rc", "isolation.level", "read_committed")) {
            consumer.subscribe(List.of("committed"));
            probe.same("records", 5, Clients.take(probe, consumer, 5).size());
            TopicPartition partition = new TopicPartition("committed", 0);
            probe.same("last stable offset", Map.of(partition, 5L), consumer.endOffsets(List.of(partition)));
        }
    }

    /** KIP-74: the first batch comes whole even where it is larger than the limits. */
    private static void limits(Probe probe) throws Exception {
        Clients.topic(probe, "limits", 3);
        try (var producer = Clients.producer(probe)) {
            for (int number = 0; number < 30; number++) {
                producer.send(new ProducerRecord<>(
                        "limits", number % 3, "k", "x".repeat(20_000) + number)).get();
            }
        }
        Object[] small = {"fetch.max.bytes", 5_000, "max.partition.fetch.bytes", 1_000, "fetch.min.bytes", 1};
        try (KafkaConsumer<String, String> consumer = Clients.consumer(probe, "limits", small)) {
            consumer.subscribe(List.of("limits"));
            probe.same("records", 30, Clients.take(probe, consumer, 30).size());
        }
    }
}
