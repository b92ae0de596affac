import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.KafkaShareConsumer;
import org.apache.kafka.common.serialization.StringDeserializer;

/** What not every broker offers. One that does not must say so at once: UnsupportedVersionException, never a time-out. */
final class NewerThings {
    private NewerThings() {}

    static void addTo(Map<String, Feature> features) {
        features.put("consumer protocol (KIP-848)", NewerThings::consumerProtocol);
        features.put("share consumer (KIP-932)", NewerThings::shareConsumer);
        features.put("admin: features", NewerThings::features);
        features.put("admin: ACLs", NewerThings::acls);
        features.put("admin: client quotas", NewerThings::quotas);
        features.put("admin: SCRAM credentials", NewerThings::scram);
        features.put("admin: partition reassignments", NewerThings::reassignments);
        features.put("admin: elect leaders", NewerThings::elect);
        features.put("admin: client metrics resources", NewerThings::metricsResources);
        features.put("admin: quorum", NewerThings::quorum);
    }

    private static void consumerProtocol(Probe probe) throws Exception {
        Clients.topic(probe, "newer", 1);
        Clients.fill(probe, "newer", 1, 3);
        try (KafkaConsumer<String, String> consumer = Clients.consumer(probe, "newer", "group.protocol", "consumer")) {
            consumer.subscribe(List.of("newer"));
            probe.same("records", 3, Clients.take(probe, consumer, 3).size());
        }
    }

    private static void shareConsumer(Probe probe) throws Exception {
        Clients.topic(probe, "shared", 1);
        Map<String, Object> settings = Clients.settings(probe, "group.id", "shared");
        try (var consumer = new KafkaShareConsumer<>(settings, new StringDeserializer(), new StringDeserializer())) {
            consumer.subscribe(List.of("shared"));
            consumer.poll(Duration.ofSeconds(2));
        }
    }

    private static void features(Probe probe) throws Exception {
        try (var admin = Clients.admin(probe)) {
            probe.saw("finalized", new java.util.TreeMap<>(admin.describeFeatures().featureMetadata().get().finalizedFeatures()));
        }
    }

    private static void acls(Probe probe) throws Exception {
        try (var admin = Clients.admin(probe)) {
            probe.fails("without an authorizer", org.apache.kafka.common.errors.SecurityDisabledException.class,
                    () -> admin.describeAcls(org.apache.kafka.common.acl.AclBindingFilter.ANY).values().get());
        }
    }

    private static void quotas(Probe probe) throws Exception {
        try (var admin = Clients.admin(probe)) {
            admin.describeClientQuotas(org.apache.kafka.common.quota.ClientQuotaFilter.all()).entities().get();
        }
    }

    private static void scram(Probe probe) throws Exception {
        try (var admin = Clients.admin(probe)) {
            admin.describeUserScramCredentials().all().get();
        }
    }

    private static void reassignments(Probe probe) throws Exception {
        try (var admin = Clients.admin(probe)) {
            probe.same("none under way", 0, admin.listPartitionReassignments().reassignments().get().size());
        }
    }

    private static void elect(Probe probe) throws Exception {
        try (var admin = Clients.admin(probe)) {
            admin.electLeaders(org.apache.kafka.common.ElectionType.PREFERRED, null).partitions().get();
        }
    }

    private static void metricsResources(Probe probe) throws Exception {
        try (var admin = Clients.admin(probe)) {
            admin.listConfigResources().all().get();
        }
    }

    private static void quorum(Probe probe) throws Exception {
        try (var admin = Clients.admin(probe)) {
            admin.describeMetadataQuorum().quorumInfo().get();
        }
    }
}
