import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.apache.kafka.clients.admin.ConsumerGroupDescription;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.SubscriptionPattern;
import org.apache.kafka.common.errors.UnreleasedInstanceIdException;

/** Groups of the consumer protocol (KIP-848): members that come, go, are killed, stall, and move between the protocols. */
final class ConsumerGroups {
    private ConsumerGroups() {}

    static void addTo(Map<String, Feature> features) {
        features.put("consumer group: join and leave", ConsumerGroups::comeAndGo);
        features.put("consumer group: assignor of the server", ConsumerGroups::range);
        features.put("consumer group: killed member is missed", ConsumerGroups::killed);
        features.put("consumer group: stalled member is replaced", ConsumerGroups::stalled);
        features.put("consumer group: static member restarts unnoticed", ConsumerGroups::staticRestart);
        features.put("consumer group: static member and its double", ConsumerGroups::staticDouble);
        features.put("consumer group: subscription by RE2 expression", ConsumerGroups::pattern);
        features.put("consumer group: metadata change", ConsumerGroups::partitionsAdded);
        features.put("consumer group: admin", ConsumerGroups::admin);
        features.put("consumer group: migration of a running group and back", ConsumerGroups::migration);
    }

    static KafkaConsumer<String, String> consumer(Probe probe, String group, Object... more) {
        Object[] all = new Object[more.length + 2];
        all[0] = "group.protocol";
        all[1] = "consumer";
        System.arraycopy(more, 0, all, 2, more.length);
        return Clients.consumer(probe, group, all);
    }

    private static Member member(Probe probe, String name, String topic, Object... more) {
        return new Member(name, consumer(probe, topic, more), topic);
    }

    private static void comeAndGo(Probe probe) throws Exception {
        Clients.topic(probe, "cg-share", 4);
        try (Member first = member(probe, "first", "cg-share")) {
            probe.until("the first has all four", () -> first.partitions().size() == 4);
            try (Member second = member(probe, "second", "cg-share")) {
                probe.until("two each", () -> Member.shares(first, second).equals(List.of(2, 2)));
                Set<String> both = new TreeSet<>(first.partitions());
                both.addAll(second.partitions());
                probe.same("different partitions", 4, both.size());
                Clients.fill(probe, "cg-share", 4, 10);
                probe.until("all records came", () -> first.values.size() + second.values.size() == 40);
                first.ask(each -> {
                    each.commitSync();
                    return null;
                });
            }
            probe.until("the first has all again", () -> first.partitions().size() == 4);
            probe.until("at the last epoch", () -> first.generation() == 4);
        }
    }

    private static void range(Probe probe) throws Exception {
        Clients.topic(probe, "cg-range", 3);
        try (Member first = member(probe, "first", "cg-range", "group.remote.assignor", "range");
                Member second = member(probe, "second", "cg-range", "group.remote.assignor", "range")) {
            probe.until("two and one", () -> Member.shares(first, second).equals(List.of(1, 2)));
        }
        Member bad = member(probe, "bad", "cg-range", "group.remote.assignor", "nobody-knows-it");
        probe.until("it is refused", () -> bad.error != null);
        probe.saw("why", bad.error);
    }

    private static void killed(Probe probe) throws Exception {
        Clients.topic(probe, "cg-killed", 4);
        try (Member stays = member(probe, "stays", "cg-killed")) {
            probe.until("it has all", () -> stays.partitions().size() == 4);
            Process victim = Losses.otherJvm(probe, "cg-killed", "cg-killed", "", "consumer");
            probe.until("two each", () -> stays.partitions().size() == 2);
            victim.destroyForcibly().waitFor();
            probe.until("it has all again", () -> stays.partitions().size() == 4);
        }
    }

    private static void stalled(Probe probe) throws Exception {
        Clients.topic(probe, "cg-stalled", 2);
        try (Member stalls = member(probe, "stalls", "cg-stalled", "max.poll.interval.ms", 2_000)) {
            probe.until("it has both", () -> stalls.partitions().size() == 2);
            try (Member other = member(probe, "other", "cg-stalled")) {
                probe.until("one each", () -> Member.shares(stalls, other).equals(List.of(1, 1)));
                stalls.stalled = true;
                probe.until("the other has both", () -> other.partitions().size() == 2);
                stalls.stalled = false;
                probe.until("it is back", () -> other.partitions().size() == 1 && stalls.partitions().size() == 1);
            }
        }
    }

    private static void staticRestart(Probe probe) throws Exception {
        Clients.topic(probe, "cg-static", 4);
        try (Member stays = member(probe, "stays", "cg-static", "group.instance.id", "one")) {
            probe.until("it has all", () -> stays.partitions().size() == 4);
            Set<String> had;
            try (Member before = member(probe, "before", "cg-static", "group.instance.id", "two")) {
                probe.until("two each", () -> Member.shares(stays, before).equals(List.of(2, 2)));
                had = before.partitions();
            }
            int told = stays.told.size();
            try (Member after = member(probe, "after", "cg-static", "group.instance.id", "two")) {
                probe.until("it has two", () -> after.partitions().size() == 2);
                probe.same("the same two", had, after.partitions());
                probe.same("the other was not told", told, stays.told.size());
            }
        }
    }

    private static void staticDouble(Probe probe) throws Exception {
        Clients.topic(probe, "cg-double", 1);
        try (Member first = member(probe, "first", "cg-double", "group.instance.id", "one")) {
            probe.until("it has all", () -> first.partitions().size() == 1);
            Member second = member(probe, "second", "cg-double", "group.instance.id", "one");
            probe.until("the double is refused", () -> second.error != null);
            probe.holds("because: " + second.error, second.error instanceof UnreleasedInstanceIdException);
            probe.same("the first goes on", 1, first.partitions().size());
        }
    }

    private static void pattern(Probe probe) throws Exception {
        Clients.topic(probe, "cg-re2-one", 1);
        Clients.topic(probe, "cg-re2-two", 1);
        Clients.fill(probe, "cg-re2-one", 1, 2);
        Clients.fill(probe, "cg-re2-two", 1, 2);
        try (KafkaConsumer<String, String> consumer = consumer(probe, "cg-re2")) {
            consumer.subscribe(new SubscriptionPattern("cg-re2-(one|two)"));
            probe.same("records", 4, Clients.take(probe, consumer, 4).size());
        }
        try (KafkaConsumer<String, String> consumer = consumer(probe, "cg-re2-bad")) {
            consumer.subscribe(new SubscriptionPattern("("));
            probe.fails("a bad expression", org.apache.kafka.common.errors.InvalidRegularExpression.class,
                    () -> Clients.take(probe, consumer, 1));
        }
    }

    private static void partitionsAdded(Probe probe) throws Exception {
        Clients.topic(probe, "cg-grows", 1);
        try (Member only = member(probe, "only", "cg-grows"); var admin = Clients.admin(probe)) {
            probe.until("it has one", () -> only.partitions().size() == 1);
            admin.createPartitions(Map.of("cg-grows", org.apache.kafka.clients.admin.NewPartitions.increaseTo(3))).all().get();
            probe.until("it has three", () -> only.partitions().size() == 3);
        }
    }

    private static void admin(Probe probe) throws Exception {
        Clients.topic(probe, "cg-admin", 2);
        try (var admin = Clients.admin(probe)) {
            try (Member one = member(probe, "one", "cg-admin", "client.id", "one", "client.rack", "r1")) {
                probe.until("it has both", () -> one.partitions().size() == 2);
                ConsumerGroupDescription seen = admin.describeConsumerGroups(List.of("cg-admin")).all().get().get("cg-admin");
                probe.saw("type, state, assignor, epochs", List.of(seen.type(), seen.groupState(), seen.partitionAssignor(),
                        seen.groupEpoch(), seen.targetAssignmentEpoch()));
                var member = seen.members().iterator().next();
                probe.saw("member", List.of(member.clientId(), member.assignment().topicPartitions().size(),
                        member.targetAssignment(), member.memberEpoch(), member.upgraded()).toString());
                probe.fails("deleted too early", org.apache.kafka.common.errors.GroupNotEmptyException.class,
                        () -> admin.deleteConsumerGroups(List.of("cg-admin")).all().get());
            }
            probe.until("it is empty", () -> admin.describeConsumerGroups(List.of("cg-admin")).all().get()
                    .get("cg-admin").groupState() == org.apache.kafka.common.GroupState.EMPTY);
            admin.deleteConsumerGroups(List.of("cg-admin")).all().get();
        }
    }

    /** Members are exchanged one by one, as in a rolling restart, to the new protocol and back, while records go on coming. */
    private static void migration(Probe probe) throws Exception {
        Clients.topic(probe, "cg-moves", 4);
        Reads reads = new Reads();
        int filled = 0;
        CommittingMember[] running = {moving(probe, reads, "classic"), moving(probe, reads, "classic")};
        try {
            probe.until("two each", () -> shares(running).equals(List.of(2, 2)));
            for (String protocol : List.of("consumer", "classic")) {
                for (int place = 0; place < running.length; place++) {
                    CommittingMember leaver = running[place];
                    CommittingMember comer = moving(probe, reads, protocol);
                    probe.until("three share", () -> comer.partitions.size() >= 1);
                    filled += fill(probe, filled);
                    leaver.close();
                    running[place] = comer;
                    probe.until("two each", () -> shares(running).equals(List.of(2, 2)));
                    filled += fill(probe, filled);
                    int wanted = filled;
                    probe.until("everything is read", () -> reads.seen.size() == wanted);
                }
                try (var admin = Clients.admin(probe)) {
                    probe.saw("type with " + protocol, admin.describeConsumerGroups(List.of("cg-moves")).all().get().get("cg-moves").type());
                }
            }
        } finally {
            for (CommittingMember each : running) {
                each.close();
            }
        }
        probe.same("read again after a commit", Set.of(), reads.again);
        probe.same("errors", List.of(), reads.errors);
    }

    private static CommittingMember moving(Probe probe, Reads reads, String protocol) {
        return new CommittingMember(Clients.consumer(probe, "cg-moves", "group.protocol", protocol), "cg-moves", reads);
    }

    private static int fill(Probe probe, int before) throws Exception {
        try (var producer = Clients.producer(probe)) {
            for (int number = 0; number < 40; number++) {
                String value = "value-" + (before + number);
                producer.send(new org.apache.kafka.clients.producer.ProducerRecord<>("cg-moves", number % 4, "k", value)).get();
            }
        }
        return 40;
    }

    private static List<Integer> shares(CommittingMember... members) {
        return java.util.Arrays.stream(members).map(each -> each.partitions.size()).sorted().toList();
    }
}
