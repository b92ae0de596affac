import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AbortTransactionSpec;
import org.apache.kafka.clients.admin.ListTransactionsOptions;
import org.apache.kafka.clients.admin.ProducerState;
import org.apache.kafka.clients.admin.TransactionDescription;
import org.apache.kafka.clients.admin.TransactionState;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.ProducerFencedException;

/** Transactions that are ended by others: a successor, an administrator, the clock; and what can be seen of them. */
final class TransactionEnds {
    private TransactionEnds() {}

    static void addTo(Map<String, Feature> features) {
        features.put("zombie is fenced by its successor", TransactionEnds::successor);
        features.put("zombie is fenced by an administrator", TransactionEnds::administrator);
        features.put("transaction that is open too long", TransactionEnds::timeout);
        features.put("transaction that must be aborted", TransactionEnds::mustAbort);
        features.put("transaction timeout that is refused", TransactionEnds::refused);
        features.put("admin: transactions and producers", TransactionEnds::admin);
    }

    private static void successor(Probe probe) throws Exception {
        Clients.topic(probe, "tx-zombie", 1);
        try (KafkaProducer<String, String> zombie = Transactions.producer(probe, "tx-zombie")) {
            zombie.beginTransaction();
            Transactions.send(zombie, "tx-zombie", 0, "of the zombie");
            try (KafkaProducer<String, String> heir = Transactions.producer(probe, "tx-zombie")) {
                probe.fails("commit of the zombie", ProducerFencedException.class, () -> {
                    zombie.commitTransaction();
                    return null;
                });
                heir.beginTransaction();
                Transactions.send(heir, "tx-zombie", 0, "of the heir");
                heir.commitTransaction();
            }
        }
        Transactions.untilCommitted(probe, "tx-zombie", 0, "of the heir");
        probe.same("all", List.of("of the zombie", "of the heir"), Transactions.everything(probe, "tx-zombie", 0));
    }

    private static void administrator(Probe probe) throws Exception {
        Clients.topic(probe, "tx-fenced", 1);
        try (KafkaProducer<String, String> zombie = Transactions.producer(probe, "tx-fenced"); Admin admin = Clients.admin(probe)) {
            zombie.beginTransaction();
            Transactions.send(zombie, "tx-fenced", 0, "lost");
            admin.fenceProducers(List.of("tx-fenced")).all().get();
            probe.fails("send of the zombie", KafkaException.class, () -> {
                Transactions.send(zombie, "tx-fenced", 0, "late");
                return null;
            });
        }
        probe.same("seen", List.of(), Transactions.committed(probe, "tx-fenced", 0));
    }

    private static void timeout(Probe probe) throws Exception {
        Clients.topic(probe, "tx-late", 1);
        try (KafkaProducer<String, String> producer = Transactions.producer(probe, "tx-late", "transaction.timeout.ms", 1_000)) {
            producer.beginTransaction();
            Transactions.send(producer, "tx-late", 0, "too late");
            Clients.fill(probe, "tx-late", 1, 1);
            Transactions.untilCommitted(probe, "tx-late", 0, "tx-late-0-0");
            probe.fails("its commit", KafkaException.class, () -> {
                producer.commitTransaction();
                return null;
            });
        }
        try (KafkaProducer<String, String> again = Transactions.producer(probe, "tx-late")) {
            again.beginTransaction();
            Transactions.send(again, "tx-late", 0, "in time");
            again.commitTransaction();
        }
        Transactions.untilCommitted(probe, "tx-late", 0, "tx-late-0-0", "in time");
    }

    /** A record that the broker refuses: the transaction cannot be committed, but the producer goes on after an abort. */
    private static void mustAbort(Probe probe) throws Exception {
        Clients.topic(probe, "tx-refused", 1);
        try (Admin admin = Clients.admin(probe)) {
            var resource = new org.apache.kafka.common.config.ConfigResource(
                    org.apache.kafka.common.config.ConfigResource.Type.TOPIC, "tx-refused");
            var change = new org.apache.kafka.clients.admin.AlterConfigOp(
                    new org.apache.kafka.clients.admin.ConfigEntry("max.message.bytes", "1000"),
                    org.apache.kafka.clients.admin.AlterConfigOp.OpType.SET);
            admin.incrementalAlterConfigs(Map.of(resource, List.of(change))).all().get();
        }
        try (KafkaProducer<String, String> producer = Transactions.producer(probe, "tx-refused")) {
            producer.beginTransaction();
            Transactions.send(producer, "tx-refused", 0, "small");
            probe.fails("a record too large", org.apache.kafka.common.errors.RecordTooLargeException.class, () -> {
                Transactions.send(producer, "tx-refused", 0, "v".repeat(5_000));
                return null;
            });
            // Which of its errors the client tells depends on how far it has come.
            Throwable commit = Probe.errorOf(() -> {
                producer.commitTransaction();
                return null;
            });
            probe.holds("the commit fails: " + commit, commit instanceof KafkaException);
            producer.abortTransaction();
            producer.beginTransaction();
            Transactions.send(producer, "tx-refused", 0, "after the abort");
            producer.commitTransaction();
        }
        Transactions.untilCommitted(probe, "tx-refused", 0, "after the abort");
    }

    private static void refused(Probe probe) {
        probe.fails("more than transaction.max.timeout.ms", KafkaException.class, () -> {
            Transactions.producer(probe, "tx-too-long", "transaction.timeout.ms", 1_000_000).close();
            return null;
        });
    }

    private static void admin(Probe probe) throws Exception {
        Clients.topic(probe, "tx-described", 1);
        TopicPartition place = new TopicPartition("tx-described", 0);
        try (KafkaProducer<String, String> producer = Transactions.producer(probe, "tx-described"); Admin admin = Clients.admin(probe)) {
            producer.beginTransaction();
            Transactions.send(producer, "tx-described", 0, "open");
            TransactionDescription open = admin.describeTransactions(List.of("tx-described")).description("tx-described").get();
            probe.saw("described", open.state() + " " + open.topicPartitions() + " " + open.transactionTimeoutMs()
                    + " " + open.transactionStartTimeMs().isPresent());
            var ongoing = new ListTransactionsOptions().filterStates(List.of(TransactionState.ONGOING));
            probe.holds("it is listed", admin.listTransactions(ongoing).all().get().stream()
                    .anyMatch(each -> each.transactionalId().equals("tx-described")));
            ProducerState state = admin.describeProducers(List.of(place)).partitionResult(place).get().activeProducers().get(0);
            probe.same("producer id", open.producerId(), state.producerId());
            probe.saw("producer", state.producerEpoch() + " " + state.lastSequence() + " " + state.currentTransactionStartOffset()
                    + " " + state.coordinatorEpoch());
            // Behind the coordinator's back: the marker ends it in this partition.
            admin.abortTransaction(new AbortTransactionSpec(place, state.producerId(), (short) state.producerEpoch(),
                    state.coordinatorEpoch().orElse(0))).all().get();
            ProducerState after = admin.describeProducers(List.of(place)).partitionResult(place).get().activeProducers().get(0);
            probe.saw("producer after the abort", after.producerEpoch() + " " + after.currentTransactionStartOffset());
            probe.fails("an unknown id", org.apache.kafka.common.errors.TransactionalIdNotFoundException.class,
                    () -> admin.describeTransactions(List.of("nobody")).description("nobody").get());
            Throwable late = Probe.errorOf(() -> {
                producer.commitTransaction();
                return null;
            });
            probe.saw("the producer's own commit", late);
        }
        try (Admin admin = Clients.admin(probe)) {
            probe.until("it has ended", () -> admin.describeTransactions(List.of("tx-described"))
                    .description("tx-described").get().state().toString().startsWith("Complete"));
            probe.saw("at the end", admin.describeTransactions(List.of("tx-described")).description("tx-described").get().state());
        }
    }
}
