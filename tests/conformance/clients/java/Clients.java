import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Future;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/** Makes clients with settings that suit a test: short sessions, no long waits for a broker that does not answer. */
final class Clients {
    private Clients() {}

    static Map<String, Object> settings(Probe probe, Object... more) {
        Map<String, Object> all = new HashMap<>();
        all.put("bootstrap.servers", probe.bootstrap);
        all.put("default.api.timeout.ms", 20_000);
        all.put("request.timeout.ms", 15_000);
        for (int index = 0; index < more.length; index += 2) {
            all.put((String) more[index], more[index + 1]);
        }
        return all;
    }

    static Admin admin(Probe probe) {
        return Admin.create(settings(probe));
    }

    static KafkaConsumer<String, String> consumer(Probe probe, String group, Object... more) {
        Map<String, Object> all = settings(probe, "group.protocol", "classic", "auto.offset.reset", "earliest",
                "enable.auto.commit", false, "session.timeout.ms", 6_000, "heartbeat.interval.ms", 300);
        if (group != null) {
            all.put("group.id", group);
        }
        for (int index = 0; index < more.length; index += 2) {
            all.put((String) more[index], more[index + 1]);
        }
        if ("consumer".equals(all.get("group.protocol"))) {
            all.remove("session.timeout.ms");
            all.remove("heartbeat.interval.ms");
        }
        return new KafkaConsumer<>(all, new StringDeserializer(), new StringDeserializer());
    }

    static KafkaProducer<String, String> producer(Probe probe, Object... more) {
        Map<String, Object> all = settings(probe, "delivery.timeout.ms", 20_000, "linger.ms", 0, "max.block.ms", 15_000);
        for (int index = 0; index < more.length; index += 2) {
            all.put((String) more[index], more[index + 1]);
        }
        return new KafkaProducer<>(all, new StringSerializer(), new StringSerializer());
    }

    static void topic(Probe probe, String name, int partitions) throws Exception {
        try (Admin admin = admin(probe)) {
            admin.createTopics(List.of(new NewTopic(name, Optional.of(partitions), Optional.empty()))).all().get();
        }
    }

    /** Writes "topic-partition-number" values, `each` to every partition, with timestamps 1000, 1001, ... */
    static void fill(Probe probe, String topic, int partitions, int each) throws Exception {
        try (KafkaProducer<String, String> producer = producer(probe)) {
            List<Future<RecordMetadata>> sent = new ArrayList<>();
            for (int number = 0; number < each; number++) {
                for (int partition = 0; partition < partitions; partition++) {
                    String value = topic + "-" + partition + "-" + number;
                    sent.add(producer.send(new ProducerRecord<>(topic, partition, 1_000L + number, "k" + number, value)));
                }
            }
            for (Future<RecordMetadata> one : sent) {
                one.get();
            }
        }
    }

    static List<ConsumerRecord<String, String>> take(Probe probe, KafkaConsumer<String, String> consumer, int count) {
        List<ConsumerRecord<String, String>> taken = new ArrayList<>();
        long end = System.nanoTime() + Probe.PATIENCE.toNanos();
        while (taken.size() < count) {
            consumer.poll(Duration.ofMillis(100)).forEach(taken::add);
            if (System.nanoTime() > end) {
                throw new AssertionError("only " + taken.size() + " of " + count + " records came");
            }
        }
        return taken;
    }
}
