import java.time.Duration;
import java.util.Arrays;
import java.util.Properties;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.kstream.Grouped;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.Produced;

/**
 * Counts the words of one topic into another, exactly once: `Counting host:port application-id state-directory`.
 * The topics are named after the application: `id-lines` and `id-counts`.
 *
 * Words are counted by another key than the lines have, so there is a topic between, and the counts have a changelog.
 * Nothing is cached: a word that came n times is written with 1, 2, ... n.
 */
public final class Counting {
    private Counting() {}

    public static void main(String[] arguments) {
        StreamsBuilder builder = new StreamsBuilder();
        builder.<String, String>stream(arguments[1] + "-lines")
                .flatMapValues(line -> Arrays.asList(line.split(" ")))
                .groupBy((key, word) -> word, Grouped.as("words"))
                .count(Materialized.as("counted"))
                .toStream()
                .to(arguments[1] + "-counts", Produced.with(Serdes.String(), Serdes.Long()));
        KafkaStreams streams = new KafkaStreams(builder.build(), settings(arguments));
        streams.setStateListener((now, before) -> System.out.println("state " + now));
        streams.setUncaughtExceptionHandler(error -> {
            error.printStackTrace(System.out);
            return org.apache.kafka.streams.errors.StreamsUncaughtExceptionHandler.StreamThreadExceptionResponse.SHUTDOWN_CLIENT;
        });
        Runtime.getRuntime().addShutdownHook(new Thread(() -> streams.close(Duration.ofSeconds(10))));
        streams.start();
    }

    private static Properties settings(String[] arguments) {
        Properties all = new Properties();
        all.put(StreamsConfig.APPLICATION_ID_CONFIG, arguments[1]);
        all.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, arguments[0]);
        all.put(StreamsConfig.STATE_DIR_CONFIG, arguments[2]);
        all.put(StreamsConfig.PROCESSING_GUARANTEE_CONFIG, StreamsConfig.EXACTLY_ONCE_V2);
        all.put(StreamsConfig.DEFAULT_KEY_SERDE_CLASS_CONFIG, Serdes.StringSerde.class);
        all.put(StreamsConfig.DEFAULT_VALUE_SERDE_CLASS_CONFIG, Serdes.StringSerde.class);
        all.put(StreamsConfig.STATESTORE_CACHE_MAX_BYTES_CONFIG, 0);
        all.put(StreamsConfig.COMMIT_INTERVAL_MS_CONFIG, 100);
        // A killed application is missed soon, and what it left open is aborted soon if nobody continues it.
        all.put(StreamsConfig.consumerPrefix("session.timeout.ms"), 2_000);
        all.put(StreamsConfig.consumerPrefix("heartbeat.interval.ms"), 300);
        all.put(StreamsConfig.consumerPrefix("max.poll.records"), 100);
        all.put(StreamsConfig.producerPrefix("transaction.timeout.ms"), 5_000);
        return all;
    }
}
