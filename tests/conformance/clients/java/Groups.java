import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.time.Duration;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.RangeAssignor;
import org.apache.kafka.clients.consumer.RoundRobinAssignor;
import org.apache.kafka.clients.consumer.StickyAssignor;
import org.apache.kafka.common.errors.FencedInstanceIdException;
import org.apache.kafka.common.errors.InconsistentGroupProtocolException;

/** Members of classic groups that come and go properly. */
final class Groups {
    private Groups() {}

    static void addTo(Map<String, Feature> features) {
        features.put("group with range", probe -> twoShare(probe, RangeAssignor.class));
        features.put("group with roundrobin", probe -> twoShare(probe, RoundRobinAssignor.class));
        features.put("group with sticky", probe -> twoShare(probe, StickyAssignor.class));
        features.put("group with cooperative-sticky", Groups::cooperative);
        features.put("group upgrade range to cooperative", Groups::upgrade);
        features.put("group members without a common assignor", Groups::inconsistent);
        features.put("static member restarts unnoticed", Groups::staticRestart);
        features.put("static member is fenced by its double", Groups::staticFenced);
        features.put("pattern subscription", Groups::pattern);
        features.put("enforced rebalance", Groups::enforced);
        features.put("metadata change rebalances", Groups::partitionsAdded);
    }

    private static Member member(Probe probe, String name, String group, String topic, Object... more) {
        return new Member(name, Clients.consumer(probe, group, more), topic);
    }

    /** One has all; two share; when one leaves the other has all again; every record is seen by somebody. */
    private static void twoShare(Probe probe, Class<?> assignor) throws Exception {
        String topic = "share-" + assignor.getSimpleName();
        Clients.topic(probe, topic, 4);
        Object[] settings = {"partition.assignment.strategy", assignor.getName()};
        try (Member first = member(probe, "first", topic, topic, settings)) {
            probe.until("the first has all four", () -> first.partitions().size() == 4);
            try (Member second = member(probe, "second", topic, topic, settings)) {
                probe.until("two each", () -> Member.shares(first, second).equals(List.of(2, 2)));
                Set<String> both = new TreeSet<>(first.partitions());
                both.addAll(second.partitions());
                probe.same("different partitions", 4, both.size());
                probe.same("one generation", first.generation(), second.generation());
                Clients.fill(probe, topic, 4, 10);
                probe.until("all records came", () -> first.values.size() + second.values.size() == 40);
            }
            probe.until("the first has all again", () -> first.partitions().size() == 4);
            probe.saw("what the first was told", told(first));
            probe.saw("generation at the end", first.generation());
        }
    }

    /** Who keeps which partition depends on random member ids: numbers only. */
    private static List<String> told(Member member) {
        return member.told.stream().map(each -> each.split(" ")[0] + " " + (each.split("-\\d").length - 1)).toList();
    }

    /** KIP-429: the first never gives up what it keeps, and its share moves in a second rebalance. */
    private static void cooperative(Probe probe) throws Exception {
        Clients.topic(probe, "coop", 4);
        Object[] settings = {"partition.assignment.strategy", CooperativeStickyAssignor.class.getName()};
        try (Member first = member(probe, "first", "coop", "coop", settings)) {
            probe.until("the first has all four", () -> first.partitions().size() == 4);
            try (Member second = member(probe, "second", "coop", "coop", settings)) {
                probe.until("two each", () -> Member.shares(first, second).equals(List.of(2, 2)));
                probe.until("the first learns of the second round", () -> first.told.size() == 4);
                List<String> told = told(first);
                probe.same("told", List.of("assigned 4", "revoked 2", "assigned 0", "assigned 0"), told);
                probe.saw("generation with two", first.generation());
                Clients.fill(probe, "coop", 4, 10);
                probe.until("all records came", () -> first.values.size() + second.values.size() == 40);
            }
            probe.until("the first has all again", () -> first.partitions().size() == 4);
            probe.saw("what the first was told", told(first));
        }
    }

    /** KIP-429's rolling upgrade: members that know both protocols meet one that knows only the old. */
    private static void upgrade(Probe probe) throws Exception {
        Clients.topic(probe, "upgrade", 2);
        String both = CooperativeStickyAssignor.class.getName() + "," + RangeAssignor.class.getName();
        Object[] old = {"partition.assignment.strategy", RangeAssignor.class.getName()};
        try (Member first = member(probe, "first", "upgrade", "upgrade", old);
                Member second = member(probe, "second", "upgrade", "upgrade", "partition.assignment.strategy", both)) {
            probe.until("one each", () -> Member.shares(first, second).equals(List.of(1, 1)));
            probe.same("nobody failed", List.of(), errors(first, second));
        }
    }

    private static List<String> errors(Member... members) {
        return java.util.Arrays.stream(members).filter(each -> each.error != null).map(each -> each.error.toString()).toList();
    }

    private static void inconsistent(Probe probe) throws Exception {
        Clients.topic(probe, "inconsistent", 2);
        try (Member first = member(probe, "first", "inconsistent", "inconsistent",
                        "partition.assignment.strategy", RangeAssignor.class.getName())) {
            probe.until("the first has both", () -> first.partitions().size() == 2);
            try (Member second = member(probe, "second", "inconsistent", "inconsistent",
                        "partition.assignment.strategy", StickyAssignor.class.getName())) {
                probe.until("the second is refused", () -> second.error != null);
                probe.holds("with " + second.error, second.error instanceof InconsistentGroupProtocolException);
                probe.saw("error", second.error.getMessage());
                probe.same("the first is not disturbed", List.of("assigned 2"), told(first));
            }
        }
    }

    /** KIP-345: a static member that closes and comes back within its session causes no rebalance. */
    private static void staticRestart(Probe probe) throws Exception {
        Clients.topic(probe, "static", 4);
        try (Member stays = member(probe, "stays", "static", "static", "group.instance.id", "one")) {
            probe.until("the first has all four", () -> stays.partitions().size() == 4);
            Set<String> before;
            int generation;
            try (Member goes = member(probe, "goes", "static", "static", "group.instance.id", "two")) {
                probe.until("two each", () -> Member.shares(stays, goes).equals(List.of(2, 2)));
                before = goes.partitions();
                generation = stays.generation();
            }
            try (Member back = member(probe, "back", "static", "static", "group.instance.id", "two")) {
                probe.until("it is back", () -> back.partitions().size() == 2);
                probe.same("the same partitions", before, back.partitions());
                probe.same("the same generation", generation, stays.generation());
                probe.same("and the same for both", generation, back.generation());
                probe.same("the other was not told a thing", List.of("assigned 4", "revoked 4", "assigned 2"), told(stays));
            }
        }
    }

    private static void staticFenced(Probe probe) throws Exception {
        Clients.topic(probe, "fenced", 2);
        try (Member first = member(probe, "first", "fenced", "fenced", "group.instance.id", "same")) {
            probe.until("the first has both", () -> first.partitions().size() == 2);
            try (Member second = member(probe, "second", "fenced", "fenced", "group.instance.id", "same")) {
                probe.until("the second has both", () -> second.partitions().size() == 2);
                probe.until("the first is fenced", () -> first.error != null);
                probe.holds("with " + first.error, first.error instanceof FencedInstanceIdException);
                probe.saw("error", first.error.getClass().getSimpleName());
            }
        }
    }

    private static void pattern(Probe probe) throws Exception {
        Clients.topic(probe, "pattern-a", 1);
        Clients.topic(probe, "pattern-b", 1);
        Clients.fill(probe, "pattern-a", 1, 3);
        Clients.fill(probe, "pattern-b", 1, 3);
        try (KafkaConsumer<String, String> consumer = Clients.consumer(probe, "pattern", "metadata.max.age.ms", 500)) {
            consumer.subscribe(Pattern.compile("pattern-.*"));
            probe.same("records", 6, Clients.take(probe, consumer, 6).size());
            consumer.commitSync();
            Clients.topic(probe, "pattern-c", 1);
            Clients.fill(probe, "pattern-c", 1, 3);
            probe.same("records of the new topic", 3, Clients.take(probe, consumer, 3).size());
            probe.same("assigned", 3, consumer.assignment().size());
        }
    }

    private static void enforced(Probe probe) throws Exception {
        Clients.topic(probe, "enforced", 2);
        try (Member one = member(probe, "one", "enforced", "enforced")) {
            probe.until("it has both", () -> one.partitions().size() == 2);
            int before = one.generation();
            one.ask(consumer -> {
                consumer.enforceRebalance("the test wants it");
                return null;
            });
            probe.until("a new generation", () -> one.generation() == before + 1);
            probe.until("both again", () -> one.partitions().size() == 2);
        }
    }

    private static void partitionsAdded(Probe probe) throws Exception {
        Clients.topic(probe, "grows", 1);
        try (Member one = member(probe, "one", "grows", "grows", "metadata.max.age.ms", 500);
                org.apache.kafka.clients.admin.Admin admin = Clients.admin(probe)) {
            probe.until("it has one", () -> one.partitions().size() == 1);
            var more = org.apache.kafka.clients.admin.NewPartitions.increaseTo(3);
            admin.createPartitions(Map.of("grows", more)).all().get();
            probe.until("it has three", () -> one.partitions().size() == 3);
        }
    }
}
