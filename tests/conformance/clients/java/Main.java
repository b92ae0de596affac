import java.util.LinkedHashMap;
import java.util.Map;

/** Tries every feature of the Java client at one broker: `Main host:port [part of a feature's name]`. */
public final class Main {
    private Main() {}

    public static void main(String[] arguments) {
        Map<String, Feature> features = new LinkedHashMap<>();
        Groups.addTo(features);
        Losses.addTo(features);
        ConsumerGroups.addTo(features);
        Positions.addTo(features);
        Producers.addTo(features);
        Transactions.addTo(features);
        TransactionEnds.addTo(features);
        TopicAdmin.addTo(features);
        GroupAdmin.addTo(features);
        NewerThings.addTo(features);
        Features.tryAll(features, arguments);
    }
}
