import java.util.LinkedHashMap;
import java.util.Map;

/** Tries transactions alone: what an older release of the client, which lacks some of the other calls, is compiled with. */
public final class TransactionsOnly {
    private TransactionsOnly() {}

    public static void main(String[] arguments) {
        Map<String, Feature> features = new LinkedHashMap<>();
        Transactions.addTo(features);
        TransactionEnds.addTo(features);
        Features.tryAll(features, arguments);
    }
}
