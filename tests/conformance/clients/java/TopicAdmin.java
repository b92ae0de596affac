import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.CreateTopicsOptions;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.TopicCollection;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.InvalidConfigurationException;
import org.apache.kafka.common.errors.InvalidPartitionsException;
import org.apache.kafka.common.errors.InvalidReplicationFactorException;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.OffsetOutOfRangeException;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.errors.UnknownTopicIdException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/** The admin client on topics, configs, offsets of partitions and the cluster. */
final class TopicAdmin {
    private TopicAdmin() {}

    static void addTo(Map<String, Feature> features) {
        features.put("admin: create topics", TopicAdmin::create);
        features.put("admin: describe and list topics", TopicAdmin::describe);
        features.put("admin: create partitions", TopicAdmin::grow);
        features.put("admin: delete topics", TopicAdmin::delete);
        features.put("admin: topic configs", TopicAdmin::topicConfigs);
        features.put("admin: broker configs", TopicAdmin::brokerConfigs);
        features.put("admin: list offsets", TopicAdmin::offsets);
        features.put("admin: delete records", TopicAdmin::deleteRecords);
        features.put("admin: describe cluster", TopicAdmin::cluster);
        features.put("admin: describe log dirs", TopicAdmin::logDirs);
    }

    private static NewTopic topic(String name, int partitions) {
        return new NewTopic(name, partitions, (short) 1);
    }

    private static void create(Probe probe) throws Exception {
        try (Admin admin = Clients.admin(probe)) {
            var made = admin.createTopics(List.of(topic("made", 3).configs(Map.of("retention.ms", "1234567"))));
            made.all().get();
            probe.same("partitions", 3, made.numPartitions("made").get());
            probe.same("replication factor", 1, made.replicationFactor("made").get());
            probe.same("config", "1234567", made.config("made").get().get("retention.ms").value());
            probe.holds("an id", !made.topicId("made").get().equals(Uuid.ZERO_UUID));
            admin.createTopics(List.of(new NewTopic("made-by-hand", Map.of(0, List.of(1), 1, List.of(1))))).all().get();
            admin.createTopics(List.of(topic("only-checked", 1)), new CreateTopicsOptions().validateOnly(true)).all().get();
            probe.holds("a check makes nothing", !admin.listTopics().names().get().contains("only-checked"));
            failing(probe, admin, "it exists", topic("made", 1), TopicExistsException.class);
            failing(probe, admin, "bad name", topic("a/b", 1), InvalidTopicException.class);
            failing(probe, admin, "name of dots", topic("..", 1), InvalidTopicException.class);
            failing(probe, admin, "no partitions", topic("none", 0), InvalidPartitionsException.class);
            failing(probe, admin, "two replicas", new NewTopic("two", 1, (short) 2), InvalidReplicationFactorException.class);
            failing(probe, admin, "bad config", topic("bad", 1).configs(Map.of("retention.ms", "soon")),
                    InvalidConfigurationException.class);
            failing(probe, admin, "unknown config", topic("bad", 1).configs(Map.of("no.such.thing", "1")),
                    InvalidConfigurationException.class);
        }
    }

    private static void failing(Probe probe, Admin admin, String what, NewTopic topic, Class<? extends Throwable> kind) {
        Throwable error = probe.fails(what, kind, () -> admin.createTopics(List.of(topic)).all().get());
        probe.saw(what + ": message", error.getMessage());
    }

    private static void describe(Probe probe) throws Exception {
        try (Admin admin = Clients.admin(probe)) {
            admin.createTopics(List.of(topic("described", 2))).all().get();
            TopicDescription byName = admin.describeTopics(List.of("described")).allTopicNames().get().get("described");
            probe.same("partitions", 2, byName.partitions().size());
            probe.saw("partition", byName.partitions().get(1).toString().replaceAll(":\\d+", ":PORT"));
            probe.same("internal", false, byName.isInternal());
            probe.saw("operations", byName.authorizedOperations());
            Uuid id = byName.topicId();
            TopicDescription byId = admin.describeTopics(TopicCollection.ofTopicIds(List.of(id))).allTopicIds().get().get(id);
            probe.same("by id", byName.name() + byName.partitions().size(), byId.name() + byId.partitions().size());
            probe.saw("by id", byId.toString().replaceAll(":\\d+", ":PORT").replace(id.toString(), "ID"));
            probe.holds("listed", admin.listTopics().names().get().contains("described"));
            probe.fails("an unknown name", UnknownTopicOrPartitionException.class,
                    () -> admin.describeTopics(List.of("nobody-made-this")).allTopicNames().get());
            probe.fails("an unknown id", UnknownTopicIdException.class,
                    () -> admin.describeTopics(TopicCollection.ofTopicIds(List.of(Uuid.randomUuid()))).allTopicIds().get());
        }
    }

    private static void grow(Probe probe) throws Exception {
        try (Admin admin = Clients.admin(probe)) {
            admin.createTopics(List.of(topic("growing", 1))).all().get();
            admin.createPartitions(Map.of("growing", NewPartitions.increaseTo(4))).all().get();
            probe.until("there are four", () -> admin.describeTopics(List.of("growing")).allTopicNames().get()
                    .get("growing").partitions().size() == 4);
            Throwable fewer = probe.fails("fewer than before", InvalidPartitionsException.class,
                    () -> admin.createPartitions(Map.of("growing", NewPartitions.increaseTo(2))).all().get());
            probe.saw("fewer: message", fewer.getMessage());
            probe.fails("an unknown topic", UnknownTopicOrPartitionException.class,
                    () -> admin.createPartitions(Map.of("unknown", NewPartitions.increaseTo(2))).all().get());
        }
    }

    private static void delete(Probe probe) throws Exception {
        try (Admin admin = Clients.admin(probe)) {
            admin.createTopics(List.of(topic("goes", 1), topic("goes-too", 1))).all().get();
            Uuid id = admin.describeTopics(List.of("goes-too")).allTopicNames().get().get("goes-too").topicId();
            admin.deleteTopics(List.of("goes")).all().get();
            admin.deleteTopics(TopicCollection.ofTopicIds(List.of(id))).all().get();
            Set<String> left = admin.listTopics().names().get();
            probe.holds("both are gone", !left.contains("goes") && !left.contains("goes-too"));
            probe.fails("again", UnknownTopicOrPartitionException.class, () -> admin.deleteTopics(List.of("goes")).all().get());
            admin.createTopics(List.of(topic("goes", 2))).all().get();
            Clients.fill(probe, "goes", 2, 1);
            probe.holds("a new one under the old name works", admin.listTopics().names().get().contains("goes"));
        }
    }

    private static Config configs(Admin admin, ConfigResource resource) throws Exception {
        return admin.describeConfigs(List.of(resource)).all().get().get(resource);
    }

    private static void change(Admin admin, ConfigResource topic, String name, String value, AlterConfigOp.OpType how)
            throws Exception {
        var change = new AlterConfigOp(new ConfigEntry(name, value), how);
        admin.incrementalAlterConfigs(Map.of(topic, List.of(change))).all().get();
    }

    private static void topicConfigs(Probe probe) throws Exception {
        ConfigResource topic = new ConfigResource(ConfigResource.Type.TOPIC, "configured");
        try (Admin admin = Clients.admin(probe)) {
            admin.createTopics(List.of(topic("configured", 1).configs(Map.of("retention.bytes", "5000")))).all().get();
            configs(admin, topic).entries().stream().sorted(Comparator.comparing(ConfigEntry::name))
                    .forEach(each -> probe.saw(each.name(), each.value() + " " + each.source() + " " + each.type()
                            + (each.isReadOnly() ? " read-only" : "") + (each.isSensitive() ? " sensitive" : "")));
            change(admin, topic, "retention.ms", "60000", AlterConfigOp.OpType.SET);
            change(admin, topic, "retention.bytes", null, AlterConfigOp.OpType.DELETE);
            change(admin, topic, "cleanup.policy", "compact", AlterConfigOp.OpType.APPEND);
            probe.until("the changes are seen", () -> configs(admin, topic).get("cleanup.policy").value().contains("compact"));
            Config after = configs(admin, topic);
            probe.same("set", "60000", after.get("retention.ms").value());
            probe.same("deleted", "-1", after.get("retention.bytes").value());
            probe.same("appended", "delete,compact", after.get("cleanup.policy").value());
            Throwable bad = probe.fails("a bad value", InvalidConfigurationException.class, () -> {
                change(admin, topic, "retention.ms", "soon", AlterConfigOp.OpType.SET);
                return null;
            });
            probe.saw("a bad value: message", bad.getMessage());
            ConfigResource unknown = new ConfigResource(ConfigResource.Type.TOPIC, "nobody-made-this");
            probe.fails("of an unknown topic", UnknownTopicOrPartitionException.class, () -> configs(admin, unknown));
        }
    }

    private static void brokerConfigs(Probe probe) throws Exception {
        try (Admin admin = Clients.admin(probe)) {
            Config config = configs(admin, new ConfigResource(ConfigResource.Type.BROKER, "1"));
            for (String name : List.of("group.initial.rebalance.delay.ms", "group.min.session.timeout.ms",
                    "group.max.session.timeout.ms", "group.max.size", "offsets.retention.minutes",
                    "offsets.topic.num.partitions", "auto.create.topics.enable", "num.partitions", "log.retention.ms",
                    "offset.metadata.max.bytes", "message.max.bytes", "compression.type", "node.id", "broker.id")) {
                ConfigEntry entry = config.get(name);
                probe.saw(name, entry == null ? "absent" : entry.value() + " " + entry.source() + " " + entry.type()
                        + (entry.isReadOnly() ? " read-only" : ""));
            }
        }
    }

    private static void offsets(Probe probe) throws Exception {
        Clients.topic(probe, "listed-offsets", 1);
        Clients.fill(probe, "listed-offsets", 1, 10);
        TopicPartition partition = new TopicPartition("listed-offsets", 0);
        try (Admin admin = Clients.admin(probe)) {
            Map<String, OffsetSpec> specs = new TreeMap<>(Map.of("earliest", OffsetSpec.earliest(),
                    "latest", OffsetSpec.latest(), "max timestamp", OffsetSpec.maxTimestamp(),
                    "at 1003", OffsetSpec.forTimestamp(1_003), "after the end", OffsetSpec.forTimestamp(9_999),
                    "earliest local", OffsetSpec.earliestLocal(), "latest tiered", OffsetSpec.latestTiered()));
            for (Map.Entry<String, OffsetSpec> each : specs.entrySet()) {
                probe.saw(each.getKey(), admin.listOffsets(Map.of(partition, each.getValue())).partitionResult(partition).get());
            }
            probe.fails("of an unknown partition", RuntimeException.class,
                    () -> admin.listOffsets(Map.of(new TopicPartition("listed-offsets", 7), OffsetSpec.latest()),
                            new org.apache.kafka.clients.admin.ListOffsetsOptions().timeoutMs(1_500)).all().get());
        }
    }

    private static void deleteRecords(Probe probe) throws Exception {
        Clients.topic(probe, "shortened", 1);
        Clients.fill(probe, "shortened", 1, 10);
        TopicPartition partition = new TopicPartition("shortened", 0);
        try (Admin admin = Clients.admin(probe)) {
            var done = admin.deleteRecords(Map.of(partition, RecordsToDelete.beforeOffset(4)));
            probe.same("low watermark", 4L, done.lowWatermarks().get(partition).get().lowWatermark());
            probe.same("earliest", 4L, admin.listOffsets(Map.of(partition, OffsetSpec.earliest())).all().get().get(partition).offset());
            try (var consumer = Clients.consumer(probe, null)) {
                consumer.assign(List.of(partition));
                probe.same("first that is left", 4L, Clients.take(probe, consumer, 6).get(0).offset());
            }
            probe.fails("beyond the end", OffsetOutOfRangeException.class,
                    () -> admin.deleteRecords(Map.of(partition, RecordsToDelete.beforeOffset(99))).all().get());
            var all = admin.deleteRecords(Map.of(partition, RecordsToDelete.beforeOffset(-1)));
            probe.same("all", 10L, all.lowWatermarks().get(partition).get().lowWatermark());
        }
    }

    private static void cluster(Probe probe) throws Exception {
        try (Admin admin = Clients.admin(probe)) {
            var described = admin.describeCluster();
            probe.holds("a cluster id of 22 characters", described.clusterId().get().length() == 22);
            Collection<org.apache.kafka.common.Node> nodes = described.nodes().get();
            probe.saw("nodes", nodes.toString().replaceAll(":\\d+", ":PORT"));
            probe.saw("controller", described.controller().get().toString().replaceAll(":\\d+", ":PORT"));
            probe.saw("operations", described.authorizedOperations().get());
        }
    }

    private static void logDirs(Probe probe) throws Exception {
        Clients.topic(probe, "on-disk", 2);
        Clients.fill(probe, "on-disk", 2, 5);
        try (Admin admin = Clients.admin(probe)) {
            var dirs = admin.describeLogDirs(List.of(1)).allDescriptions().get().get(1);
            probe.same("directories", 1, dirs.size());
            var only = dirs.values().iterator().next();
            probe.same("error", null, only.error());
            Set<String> seen = new TreeSet<>();
            only.replicaInfos().forEach((partition, replica) -> {
                if (partition.topic().equals("on-disk")) {
                    seen.add(partition + " " + replica);
                }
            });
            probe.saw("replicas", seen);
            probe.holds("total bytes are known", only.totalBytes().isPresent() && only.usableBytes().isPresent());
        }
    }
}
