import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.RecordTooLargeException;

/** Producers without transactions. */
final class Producers {
    private Producers() {}

    static void addTo(Map<String, Feature> features) {
        for (String codec : List.of("none", "gzip", "snappy", "lz4", "zstd")) {
            features.put("idempotent producer, " + codec, probe -> idempotent(probe, codec));
        }
        features.put("producer acks", Producers::acks);
        features.put("broker recompresses", Producers::recompressed);
        features.put("producer errors", Producers::errors);
        features.put("topic made by a producer", Producers::autoCreated);
        features.put("append time", Producers::appendTime);
    }

    private static void idempotent(Probe probe, String codec) throws Exception {
        String topic = "idempotent-" + codec;
        Clients.topic(probe, topic, 2);
        Object[] settings = {"enable.idempotence", true, "acks", "all", "compression.type", codec, "linger.ms", 5,
                "batch.size", 4_000, "max.in.flight.requests.per.connection", 5};
        try (KafkaProducer<String, String> producer = Clients.producer(probe, settings)) {
            List<Future<RecordMetadata>> sent = new ArrayList<>();
            for (int number = 0; number < 2_000; number++) {
                sent.add(producer.send(new ProducerRecord<>(topic, number % 2, "k" + number, "value " + number + " ".repeat(40))));
            }
            for (int number = 0; number < sent.size(); number++) {
                probe.same("offset of " + number, (long) number / 2, sent.get(number).get().offset());
            }
        }
        try (KafkaConsumer<String, String> consumer = Clients.consumer(probe, null)) {
            consumer.assign(List.of(new TopicPartition(topic, 0), new TopicPartition(topic, 1)));
            List<ConsumerRecord<String, String>> all = Clients.take(probe, consumer, 2_000);
            long sound = all.stream()
                    .filter(each -> each.key().equals("k" + (each.offset() * 2 + each.partition()))).count();
            probe.same("records in order", 2_000L, sound);
        }
    }

    private static void acks(Probe probe) throws Exception {
        Clients.topic(probe, "acks", 1);
        for (String acks : List.of("0", "1", "all")) {
            Object[] settings = {"acks", acks, "enable.idempotence", false};
            try (KafkaProducer<String, String> producer = Clients.producer(probe, settings)) {
                probe.saw("offset with acks " + acks, producer.send(new ProducerRecord<>("acks", "k", "v")).get().offset());
            }
        }
        try (KafkaConsumer<String, String> consumer = Clients.consumer(probe, null)) {
            consumer.assign(List.of(new TopicPartition("acks", 0)));
            probe.same("all three are there", 3, Clients.take(probe, consumer, 3).size());
        }
    }

    private static void configure(Probe probe, String topic, String name, String value) throws Exception {
        try (Admin admin = Clients.admin(probe)) {
            var change = new AlterConfigOp(new ConfigEntry(name, value), AlterConfigOp.OpType.SET);
            admin.incrementalAlterConfigs(Map.of(new ConfigResource(ConfigResource.Type.TOPIC, topic), List.of(change)))
                    .all().get();
        }
    }

    private static void recompressed(Probe probe) throws Exception {
        Clients.topic(probe, "recompressed", 1);
        configure(probe, "recompressed", "compression.type", "lz4");
        try (KafkaProducer<String, String> producer = Clients.producer(probe, "compression.type", "gzip")) {
            for (int number = 0; number < 50; number++) {
                producer.send(new ProducerRecord<>("recompressed", "k" + number, "v".repeat(100)));
            }
        }
        try (KafkaConsumer<String, String> consumer = Clients.consumer(probe, null)) {
            consumer.assign(List.of(new TopicPartition("recompressed", 0)));
            probe.same("records", 50, Clients.take(probe, consumer, 50).size());
        }
    }

    private static void errors(Probe probe) throws Exception {
        Clients.topic(probe, "refuses", 1);
        configure(probe, "refuses", "max.message.bytes", "1000");
        try (KafkaProducer<String, String> producer = Clients.producer(probe)) {
            probe.fails("a record larger than max.message.bytes", RecordTooLargeException.class,
                    () -> producer.send(new ProducerRecord<>("refuses", "k", "v".repeat(5_000))).get());
            probe.same("the next fits", 0L, producer.send(new ProducerRecord<>("refuses", "k", "v")).get().offset());
            probe.fails("a topic with a bad name", InvalidTopicException.class,
                    () -> producer.send(new ProducerRecord<>("bad/name", "k", "v")).get());
        }
        configure(probe, "refuses", "cleanup.policy", "compact");
        try (KafkaProducer<String, String> producer = Clients.producer(probe)) {
            probe.fails("no key in a compacted topic", org.apache.kafka.common.InvalidRecordException.class,
                    () -> producer.send(new ProducerRecord<>("refuses", null, "v")).get());
        }
    }

    private static void autoCreated(Probe probe) throws Exception {
        try (KafkaProducer<String, String> producer = Clients.producer(probe)) {
            probe.same("offset", 0L, producer.send(new ProducerRecord<>("auto-created", "k", "v")).get().offset());
            probe.same("partitions", 2, producer.partitionsFor("auto-created").size());
        }
    }

    private static void appendTime(Probe probe) throws Exception {
        Clients.topic(probe, "append-time", 1);
        configure(probe, "append-time", "message.timestamp.type", "LogAppendTime");
        Clients.fill(probe, "append-time", 1, 2);
        try (KafkaConsumer<String, String> consumer = Clients.consumer(probe, null)) {
            consumer.assign(List.of(new TopicPartition("append-time", 0)));
            ConsumerRecord<String, String> first = Clients.take(probe, consumer, 2).get(0);
            probe.same("type", "LogAppendTime", first.timestampType().toString());
            probe.holds("a time of now", first.timestamp() > 1_600_000_000_000L);
        }
    }
}
