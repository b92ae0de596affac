import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ConsumerGroupDescription;
import org.apache.kafka.clients.admin.GroupListing;
import org.apache.kafka.clients.admin.ListConsumerGroupOffsetsSpec;
import org.apache.kafka.clients.admin.ListGroupsOptions;
import org.apache.kafka.clients.admin.MemberDescription;
import org.apache.kafka.clients.admin.MemberToRemove;
import org.apache.kafka.clients.admin.RemoveMembersFromConsumerGroupOptions;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.GroupState;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.GroupIdNotFoundException;
import org.apache.kafka.common.errors.GroupNotEmptyException;
import org.apache.kafka.common.errors.GroupSubscribedToTopicException;
import org.apache.kafka.common.errors.UnknownMemberIdException;

/** The admin client on groups and their offsets. */
final class GroupAdmin {
    private GroupAdmin() {}

    static void addTo(Map<String, Feature> features) {
        features.put("admin: list groups", GroupAdmin::list);
        features.put("admin: describe groups", GroupAdmin::describe);
        features.put("admin: delete groups", GroupAdmin::delete);
        features.put("admin: list and alter group offsets", GroupAdmin::alterOffsets);
        features.put("admin: delete group offsets", GroupAdmin::deleteOffsets);
        features.put("admin: remove members", GroupAdmin::removeMembers);
    }

    private static Map<TopicPartition, OffsetAndMetadata> at(String topic, int partition, long offset) {
        return Map.of(new TopicPartition(topic, partition), new OffsetAndMetadata(offset, "by hand"));
    }

    private static void list(Probe probe) throws Exception {
        Clients.topic(probe, "listing", 1);
        try (Admin admin = Clients.admin(probe);
                Member member = new Member("m", Clients.consumer(probe, "listing-stable"), "listing")) {
            probe.until("it has one", () -> member.partitions().size() == 1);
            admin.alterConsumerGroupOffsets("listing-empty", at("listing", 0, 0)).all().get();
            Map<String, String> seen = new TreeMap<>();
            for (GroupListing each : admin.listGroups().all().get()) {
                if (each.groupId().startsWith("listing-")) {
                    seen.put(each.groupId(), each.toString());
                }
            }
            probe.saw("groups", seen);
            Set<String> stable = new TreeSet<>();
            var options = new ListGroupsOptions().inGroupStates(Set.of(GroupState.STABLE));
            admin.listGroups(options).all().get().forEach(each -> stable.add(each.groupId()));
            probe.same("stable ones", Set.of("listing-stable"), stable);
            Set<String> consumers = new TreeSet<>();
            admin.listGroups(ListGroupsOptions.forConsumerGroups()).all().get().forEach(each -> consumers.add(each.groupId()));
            probe.holds("consumer groups: " + consumers, consumers.containsAll(Set.of("listing-stable", "listing-empty")));
        }
    }

    private static void describe(Probe probe) throws Exception {
        Clients.topic(probe, "describing", 2);
        try (Admin admin = Clients.admin(probe);
                Member one = new Member("one", Clients.consumer(probe, "describing", "client.id", "first",
                        "group.instance.id", "instance-one"), "describing");
                Member two = new Member("two", Clients.consumer(probe, "describing", "client.id", "second"), "describing")) {
            probe.until("one each", () -> Member.shares(one, two).equals(List.of(1, 1)));
            ConsumerGroupDescription described = admin.describeConsumerGroups(List.of("describing")).all().get().get("describing");
            probe.same("state", GroupState.STABLE, described.groupState());
            probe.saw("assignor", described.partitionAssignor());
            probe.saw("simple", described.isSimpleConsumerGroup());
            probe.saw("type", described.type());
            probe.saw("operations", described.authorizedOperations());
            probe.saw("coordinator", described.coordinator().toString().replaceAll(":\\d+", ":PORT"));
            Set<String> members = new TreeSet<>();
            for (MemberDescription each : described.members()) {
                probe.holds("a member id after the instance or client: " + each.consumerId(),
                        each.consumerId().startsWith(each.groupInstanceId().orElse(each.clientId()) + "-"));
                members.add(each.clientId() + " " + each.groupInstanceId() + " " + each.host() + " "
                        + each.assignment().topicPartitions().size());
            }
            probe.saw("members", members);
            var classic = admin.describeClassicGroups(List.of("describing")).all().get().get("describing");
            probe.saw("classic", classic.protocol() + " " + classic.protocolData() + " " + classic.state());
            probe.fails("an unknown group", GroupIdNotFoundException.class,
                    () -> admin.describeConsumerGroups(List.of("nobody")).all().get());
        }
    }

    private static void delete(Probe probe) throws Exception {
        Clients.topic(probe, "deleting", 1);
        try (Admin admin = Clients.admin(probe)) {
            try (Member member = new Member("m", Clients.consumer(probe, "deleting"), "deleting")) {
                probe.until("it has one", () -> member.partitions().size() == 1);
                probe.fails("with a member", GroupNotEmptyException.class,
                        () -> admin.deleteConsumerGroups(List.of("deleting")).all().get());
            }
            admin.deleteConsumerGroups(List.of("deleting")).all().get();
            probe.fails("again", GroupIdNotFoundException.class,
                    () -> admin.deleteConsumerGroups(List.of("deleting")).all().get());
        }
    }

    private static void alterOffsets(Probe probe) throws Exception {
        Clients.topic(probe, "altering", 2);
        Clients.fill(probe, "altering", 2, 5);
        try (Admin admin = Clients.admin(probe)) {
            admin.alterConsumerGroupOffsets("altering", at("altering", 1, 3)).all().get();
            probe.saw("all offsets", admin.listConsumerGroupOffsets("altering").partitionsToOffsetAndMetadata().get());
            var chosen = new ListConsumerGroupOffsetsSpec().topicPartitions(
                    List.of(new TopicPartition("altering", 0), new TopicPartition("altering", 1)));
            probe.saw("chosen offsets", new TreeMap<String, Object>(text(
                    admin.listConsumerGroupOffsets(Map.of("altering", chosen)).all().get().get("altering"))));
            var two = Map.of("altering", new ListConsumerGroupOffsetsSpec(), "never-seen", new ListConsumerGroupOffsetsSpec());
            probe.saw("two groups at once", new TreeMap<>(admin.listConsumerGroupOffsets(two).all().get()));
            try (Member member = new Member("m", Clients.consumer(probe, "altering"), "altering")) {
                probe.until("it got from there", () -> member.values.size() == 7);
                probe.fails("while there is a member", UnknownMemberIdException.class,
                        () -> admin.alterConsumerGroupOffsets("altering", at("altering", 1, 0)).all().get());
            }
        }
    }

    private static Map<String, Object> text(Map<TopicPartition, OffsetAndMetadata> offsets) {
        Map<String, Object> all = new TreeMap<>();
        offsets.forEach((partition, offset) -> all.put(partition.toString(), String.valueOf(offset)));
        return all;
    }

    private static void deleteOffsets(Probe probe) throws Exception {
        Clients.topic(probe, "dropping", 2);
        Clients.topic(probe, "dropping-not-subscribed", 1);
        try (Admin admin = Clients.admin(probe)) {
            admin.alterConsumerGroupOffsets("dropping", at("dropping", 0, 0)).all().get();
            admin.alterConsumerGroupOffsets("dropping", at("dropping-not-subscribed", 0, 0)).all().get();
            try (Member member = new Member("m", Clients.consumer(probe, "dropping"), "dropping")) {
                probe.until("it has two", () -> member.partitions().size() == 2);
                probe.fails("of a topic in use", GroupSubscribedToTopicException.class, () -> admin
                        .deleteConsumerGroupOffsets("dropping", Set.of(new TopicPartition("dropping", 0))).all().get());
                admin.deleteConsumerGroupOffsets("dropping", Set.of(new TopicPartition("dropping-not-subscribed", 0))).all().get();
            }
            probe.same("left", Set.of(new TopicPartition("dropping", 0)),
                    admin.listConsumerGroupOffsets("dropping").partitionsToOffsetAndMetadata().get().keySet());
            admin.deleteConsumerGroupOffsets("dropping", Set.of(new TopicPartition("dropping", 0))).all().get();
            probe.fails("of an unknown group", GroupIdNotFoundException.class, () -> admin
                    .deleteConsumerGroupOffsets("nobody", Set.of(new TopicPartition("dropping", 0))).all().get());
        }
    }

    private static void removeMembers(Probe probe) throws Exception {
        Clients.topic(probe, "removing", 2);
        try (Admin admin = Clients.admin(probe);
                Member one = new Member("one", Clients.consumer(probe, "removing", "group.instance.id", "one"), "removing");
                Member two = new Member("two", Clients.consumer(probe, "removing", "group.instance.id", "two"), "removing")) {
            probe.until("one each", () -> Member.shares(one, two).equals(List.of(1, 1)));
            one.stalled = true;
            admin.removeMembersFromConsumerGroup("removing",
                    new RemoveMembersFromConsumerGroupOptions(Set.of(new MemberToRemove("one")))).all().get();
            probe.until("the other has both", () -> two.partitions().size() == 2);
            probe.fails("one that is not there", UnknownMemberIdException.class,
                    () -> admin.removeMembersFromConsumerGroup("removing",
                            new RemoveMembersFromConsumerGroupOptions(Set.of(new MemberToRemove("three")))).all().get());
        }
    }
}
