import java.time.Duration;
import java.util.List;
import org.apache.kafka.clients.consumer.KafkaConsumer;

/** A consumer in a process of its own, to be killed: `Victim host:port group topic instance-or-empty protocol`. */
public final class Victim {
    public static void main(String[] arguments) {
        Probe probe = new Probe(arguments[0], "victim");
        String protocol = arguments[4];
        Object[] more = arguments[3].isEmpty()
                ? new Object[] {"session.timeout.ms", 3_000, "group.protocol", protocol}
                : new Object[] {"session.timeout.ms", 6_000, "group.protocol", protocol, "group.instance.id", arguments[3]};
        KafkaConsumer<String, String> consumer = Clients.consumer(probe, arguments[1], more);
        consumer.subscribe(List.of(arguments[2]));
        int before = -1;
        while (true) {
            consumer.poll(Duration.ofMillis(50));
            int now = consumer.assignment().size();
            if (now != before) {
                Probe.say("assigned " + now);
                before = now;
            }
        }
    }
}
