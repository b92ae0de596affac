import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A consumer tested with JUnit and Kafka's own client: mvn test */
class BillingTest {
    private static Muster muster;

    @BeforeAll
    static void start() throws Exception {
        muster = new Muster();
    }

    @AfterAll
    static void stop() {
        muster.close();
    }

    @BeforeEach
    void forgetEverything() throws Exception {
        muster.ask("POST", "reset", "");
        muster.ask("POST", "topics", "{\"name\": \"orders\", \"partitions\": 1}");
    }

    private static KafkaConsumer<String, String> consumer() {
        KafkaConsumer<String, String> made = new KafkaConsumer<>(Map.of("bootstrap.servers", muster.broker,
                "group.id", "billing", "auto.offset.reset", "earliest", "heartbeat.interval.ms", "100"),
                new StringDeserializer(), new StringDeserializer());
        made.subscribe(List.of("orders"));
        return made;
    }

    @Test
    void everyOrderIsBilled() throws Exception {
        muster.ask("POST", "topics/orders/records", "{\"records\": [{\"value\": \"tea\"}, {\"value\": \"pots\"}]}");
        List<String> billed = new ArrayList<>();
        try (KafkaConsumer<String, String> consumer = consumer()) {
            while (billed.size() < 2) {
                consumer.poll(Duration.ofSeconds(30)).forEach(record -> billed.add(record.value()));
            }
        }
        assertEquals(List.of("tea", "pots"), billed);
    }

    @Test
    void aMemberWithoutHeartbeatsLosesItsPlace() throws Exception {
        try (KafkaConsumer<String, String> consumer = consumer()) {
            while (!muster.ask("GET", "groups/billing", "").contains("\"Stable\"")) {
                consumer.poll(Duration.ofMillis(100));
            }
            muster.ask("POST", "clock/advance", "{\"minutes\": 10}");
            String told = muster.ask("GET", "groups/billing/explain", "");
            assertTrue(told.contains("no heartbeat within the session timeout"), told);
        }
    }
}
