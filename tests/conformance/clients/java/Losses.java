import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.KafkaConsumer;

/** Members that are lost: killed with their whole process, or too slow to poll. */
final class Losses {
    private Losses() {}

    static void addTo(Map<String, Feature> features) {
        features.put("killed consumer is missed", Losses::killed);
        features.put("killed static consumer keeps its place", Losses::killedStatic);
        features.put("stalled consumer is replaced", Losses::stalled);
    }

    /** A second JVM with one consumer, killed with SIGKILL: nobody says goodbye. */
    static Process otherJvm(Probe probe, String group, String topic, String instance, String protocol) throws Exception {
        List<String> command = List.of("java", "-Xmx64m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1",
                "-cp", System.getProperty("java.class.path"), "Victim", probe.bootstrap, group, topic, instance, protocol);
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        BufferedReader lines = new BufferedReader(new InputStreamReader(process.getInputStream()));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            if (line.startsWith("assigned 2")) {
                return process;
            }
            Probe.say("victim: " + line);
        }
        throw new AssertionError("the other JVM ended before it had its two partitions");
    }

    private static void killed(Probe probe) throws Exception {
        Clients.topic(probe, "killed", 4);
        try (Member stays = new Member("stays", Clients.consumer(probe, "killed", "session.timeout.ms", 3_000), "killed")) {
            probe.until("it has all", () -> stays.partitions().size() == 4);
            Process victim = otherJvm(probe, "killed", "killed", "", "classic");
            probe.until("two each", () -> stays.partitions().size() == 2);
            int before = stays.generation();
            victim.destroyForcibly().waitFor();
            probe.until("it has all again", () -> stays.partitions().size() == 4);
            probe.same("one rebalance", before + 1, stays.generation());
        }
    }

    private static void killedStatic(Probe probe) throws Exception {
        Clients.topic(probe, "killed-static", 4);
        try (Member stays = new Member("stays",
                Clients.consumer(probe, "killed-static", "session.timeout.ms", 6_000), "killed-static")) {
            probe.until("it has all", () -> stays.partitions().size() == 4);
            Process victim = otherJvm(probe, "killed-static", "killed-static", "two", "classic");
            probe.until("two each", () -> stays.partitions().size() == 2);
            int before = stays.generation();
            victim.destroyForcibly().waitFor();
            victim = otherJvm(probe, "killed-static", "killed-static", "two", "classic");
            probe.same("no rebalance", before, stays.generation());
            victim.destroyForcibly().waitFor();
            probe.until("after its session it is missed", () -> stays.partitions().size() == 4);
        }
    }

    /** KIP-62: past max.poll.interval.ms the member leaves by itself; its late commit fails; it may come back. */
    private static void stalled(Probe probe) throws Exception {
        Clients.topic(probe, "stalled", 2);
        Clients.fill(probe, "stalled", 2, 2);
        KafkaConsumer<String, String> slow = Clients.consumer(probe, "stalled", "max.poll.interval.ms", 1_500);
        try (Member stalls = new Member("stalls", slow, "stalled")) {
            probe.until("it has both and the records", () -> stalls.partitions().size() == 2 && stalls.values.size() == 4);
            try (Member other = new Member("other", Clients.consumer(probe, "stalled"), "stalled")) {
                probe.until("one each", () -> Member.shares(stalls, other).equals(List.of(1, 1)));
                stalls.stalled = true;
                probe.until("the other has both", () -> other.partitions().size() == 2);
                Throwable late = Probe.errorOf(() -> stalls.ask(consumer -> {
                    consumer.commitSync();
                    return null;
                }));
                probe.holds("the late commit fails: " + late, late instanceof CommitFailedException);
                stalls.stalled = false;
                probe.until("it is back", () -> other.partitions().size() == 1 && stalls.partitions().size() == 1);
                probe.holds("it was told of the loss: " + stalls.told, stalls.told.stream().anyMatch(each -> each.startsWith("lost")));
            }
        }
    }
}
