import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

import org.apache.kafka.common.Uuid;
import org.apache.kafka.coordinator.group.api.assignor.ConsumerGroupPartitionAssignor;
import org.apache.kafka.coordinator.group.api.assignor.SubscribedTopicDescriber;
import org.apache.kafka.coordinator.group.api.assignor.SubscriptionType;
import org.apache.kafka.coordinator.group.assignor.RangeAssignor;
import org.apache.kafka.coordinator.group.assignor.UniformAssignor;
import org.apache.kafka.coordinator.group.modern.Assignment;
import org.apache.kafka.coordinator.group.modern.GroupSpecImpl;
import org.apache.kafka.coordinator.group.modern.MemberSubscriptionAndAssignmentImpl;

/**
 * Asks Kafka's own assignors. A line of input: assignor, topics, members, divided by ";". Topics are "id=count", members
 * "id|instance|topics|target", both divided by blanks; topics of a member by ","; a target is "id:0.1.2" divided by "/".
 * A line of output: "member|target" of all members by id. Ids of topics are 32 hexadecimal digits.
 */
public class Assign {
    public static void main(String[] args) throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        for (String line; (line = in.readLine()) != null; ) System.out.println(assign(line.split(";", -1)));
    }

    private static String assign(String[] parts) {
        Map<Uuid, Integer> counts = new HashMap<>();
        for (String topic : words(parts[1])) counts.put(id(topic.split("=")[0]), Integer.parseInt(topic.split("=")[1]));
        Map<String, MemberSubscriptionAndAssignmentImpl> members = new HashMap<>();
        Map<Uuid, Map<Integer, String>> owners = new HashMap<>();
        Set<Set<Uuid>> subscriptions = new HashSet<>();
        for (String text : words(parts[2])) {
            String[] fields = text.split("\\|", -1);
            Set<Uuid> topics = new LinkedHashSet<>();
            for (String topic : split(fields[2], ",")) topics.add(id(topic));
            subscriptions.add(topics);
            Map<Uuid, Set<Integer>> target = new HashMap<>();
            for (String entry : split(fields[3], "/")) {
                Uuid topic = id(entry.split(":")[0]);
                List<Integer> partitions = new ArrayList<>();
                for (String number : entry.split(":")[1].split("\\.")) partitions.add(Integer.parseInt(number));
                target.put(topic, new HashSet<>(partitions));
                for (int number : partitions) owners.computeIfAbsent(topic, t -> new HashMap<>()).put(number, fields[0]);
            }
            Optional<String> instance = fields[1].isEmpty() ? Optional.empty() : Optional.of(fields[1]);
            members.put(fields[0],
                new MemberSubscriptionAndAssignmentImpl(Optional.empty(), instance, topics, new Assignment(target)));
        }
        SubscriptionType type =
            subscriptions.size() == 1 ? SubscriptionType.HOMOGENEOUS : SubscriptionType.HETEROGENEOUS;
        ConsumerGroupPartitionAssignor assignor = parts[0].equals("range") ? new RangeAssignor() : new UniformAssignor();
        SubscribedTopicDescriber describer = new SubscribedTopicDescriber() {
            @Override
            public int numPartitions(Uuid topic) {
                return counts.getOrDefault(topic, -1);
            }

            @Override
            public Set<String> racksForPartition(Uuid topic, int partition) {
                return Set.of();
            }
        };
        Map<String, String> answers = new TreeMap<>();
        for (String member : members.keySet()) answers.put(member, "");
        assignor.assign(new GroupSpecImpl(members, type, owners), describer).members()
            .forEach((member, assignment) -> answers.put(member, written(assignment.partitions())));
        List<String> lines = new ArrayList<>();
        answers.forEach((member, target) -> lines.add(member + "|" + target));
        return String.join(" ", lines);
    }

    private static String written(Map<Uuid, Set<Integer>> partitions) {
        Map<String, String> topics = new TreeMap<>();
        partitions.forEach((topic, numbers) -> {
            List<String> texts = new ArrayList<>();
            for (int number : new TreeSet<>(numbers)) texts.add(Integer.toString(number));
            if (!texts.isEmpty()) topics.put(hex(topic), hex(topic) + ":" + String.join(".", texts));
        });
        return String.join("/", topics.values());
    }

    private static List<String> words(String text) {
        return split(text, " ");
    }

    private static List<String> split(String text, String divider) {
        return text.isEmpty() ? List.of() : Arrays.asList(text.split(divider));
    }

    private static Uuid id(String hex) {
        return new Uuid(Long.parseUnsignedLong(hex.substring(0, 16), 16), Long.parseUnsignedLong(hex.substring(16), 16));
    }

    private static String hex(Uuid id) {
        return String.format("%016x%016x", id.getMostSignificantBits(), id.getLeastSignificantBits());
    }
}
