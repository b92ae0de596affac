import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RebalanceInProgressException;

/** A consumer on a thread of its own that commits what it has read: after every poll, and before it gives a partition up. */
final class CommittingMember implements ConsumerRebalanceListener, AutoCloseable {
    final Set<TopicPartition> partitions = ConcurrentHashMap.newKeySet();
    private final KafkaConsumer<String, String> consumer;
    private final Reads reads;
    private final Thread thread;
    private final List<String> uncommitted = new ArrayList<>();
    private volatile boolean ended;

    CommittingMember(KafkaConsumer<String, String> consumer, String topic, Reads reads) {
        this.consumer = consumer;
        this.reads = reads;
        thread = new Thread(() -> work(topic));
        thread.setDaemon(true);
        thread.start();
    }

    private void work(String topic) {
        try {
            consumer.subscribe(List.of(topic), this);
            while (!ended) {
                consumer.poll(Duration.ofMillis(50)).forEach(record -> {
                    reads.read(record.value());
                    uncommitted.add(record.value());
                });
                commit();
            }
            consumer.close();
        } catch (Throwable problem) {
            reads.errors.add(problem.toString());
        }
    }

    private void commit() {
        if (uncommitted.isEmpty()) {
            return;
        }
        try {
            consumer.commitSync();
            reads.committed.addAll(uncommitted);
            uncommitted.clear();
        } catch (RebalanceInProgressException soon) {
            // The next poll takes part in the rebalance; what was read stays to be committed.
        } catch (CommitFailedException lost) {
            uncommitted.clear();
        }
    }

    @Override
    public void onPartitionsAssigned(Collection<TopicPartition> given) {
        partitions.addAll(given);
    }

    @Override
    public void onPartitionsRevoked(Collection<TopicPartition> taken) {
        commit();
        partitions.removeAll(taken);
    }

    @Override
    public void onPartitionsLost(Collection<TopicPartition> taken) {
        uncommitted.clear();
        partitions.removeAll(taken);
    }

    @Override
    public void close() throws InterruptedException {
        ended = true;
        thread.join(20_000);
    }
}
