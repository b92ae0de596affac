import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;

/** A consumer that polls on a thread of its own, keeps what it was told and given, and can be made to stall. */
final class Member implements ConsumerRebalanceListener, AutoCloseable {
    final String name;
    final List<String> told = new CopyOnWriteArrayList<>();
    final Set<String> values = new ConcurrentSkipListSet<>();
    private final Set<String> partitions = new ConcurrentSkipListSet<>();
    private final Queue<Runnable> asked = new ConcurrentLinkedQueue<>();
    private final KafkaConsumer<String, String> consumer;
    private final Thread thread;
    volatile Throwable error;
    volatile boolean stalled;
    private volatile boolean ended;

    Member(String name, KafkaConsumer<String, String> consumer, String topic) {
        this.name = name;
        this.consumer = consumer;
        this.thread = new Thread(() -> work(topic), "member-" + name);
        thread.setDaemon(true);
        thread.start();
    }

    private void work(String topic) {
        try {
            consumer.subscribe(List.of(topic), this);
            while (!ended) {
                if (!stalled) {
                    consumer.poll(Duration.ofMillis(50)).forEach(record -> values.add(record.value()));
                } else {
                    Thread.sleep(20);
                }
                for (Runnable one = asked.poll(); one != null; one = asked.poll()) {
                    one.run();
                }
            }
            consumer.close();
        } catch (Throwable problem) {
            error = problem;
            asked.forEach(Runnable::run);
            consumer.close(org.apache.kafka.clients.consumer.CloseOptions.timeout(Duration.ofSeconds(1)));
        }
    }

    /** Runs on the polling thread, where a consumer must be used. */
    <T> T ask(Function<KafkaConsumer<String, String>, T> question) throws Exception {
        CompletableFuture<T> answer = new CompletableFuture<>();
        asked.add(() -> {
            try {
                answer.complete(question.apply(consumer));
            } catch (Throwable problem) {
                answer.completeExceptionally(problem);
            }
        });
        return answer.get(Probe.PATIENCE.toSeconds(), java.util.concurrent.TimeUnit.SECONDS);
    }

    int generation() throws Exception {
        return ask(each -> each.groupMetadata().generationId());
    }

    Set<String> partitions() {
        return new TreeSet<>(partitions);
    }

    @Override
    public void onPartitionsAssigned(Collection<TopicPartition> given) {
        partitions.addAll(names(given));
        told.add("assigned " + names(given));
    }

    @Override
    public void onPartitionsRevoked(Collection<TopicPartition> taken) {
        partitions.removeAll(names(taken));
        told.add("revoked " + names(taken));
    }

    @Override
    public void onPartitionsLost(Collection<TopicPartition> taken) {
        partitions.removeAll(names(taken));
        told.add("lost " + names(taken));
    }

    static Collection<String> names(Collection<TopicPartition> some) {
        Collection<String> names = new TreeSet<>();
        some.forEach(each -> names.add(each.toString()));
        return names;
    }

    /** Partitions of both, which must not overlap. */
    static List<Integer> shares(Member... members) {
        List<Integer> shares = new ArrayList<>();
        for (Member each : members) {
            shares.add(each.partitions.size());
        }
        shares.sort(null);
        return shares;
    }

    @Override
    public void close() throws InterruptedException {
        ended = true;
        stalled = false;
        thread.join(20_000);
    }
}
