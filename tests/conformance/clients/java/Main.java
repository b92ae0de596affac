import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.common.errors.UnsupportedVersionException;
import org.apache.kafka.common.protocol.Errors;

/** Tries every feature of the Java client at one broker: `Main host:port [part of a feature's name]`. */
public final class Main {
    private static final int SECONDS_A_FEATURE = 90;

    interface Feature {
        void check(Probe probe) throws Exception;
    }

    private static final Map<String, Feature> FEATURES = new LinkedHashMap<>();

    static {
        Groups.addTo(FEATURES);
        Losses.addTo(FEATURES);
        Positions.addTo(FEATURES);
        Producers.addTo(FEATURES);
        TopicAdmin.addTo(FEATURES);
        GroupAdmin.addTo(FEATURES);
        NewerThings.addTo(FEATURES);
    }

    public static void main(String[] arguments) {
        String only = arguments.length > 1 ? arguments[1] : "";
        FEATURES.forEach((name, feature) -> {
            if (name.contains(only)) {
                check(new Probe(arguments[0], name), feature);
            }
        });
        System.exit(0);
    }

    private static void check(Probe probe, Feature feature) {
        ExecutorService one = Executors.newSingleThreadExecutor();
        long began = System.nanoTime();
        try {
            Future<?> done = one.submit(() -> {
                feature.check(probe);
                return null;
            });
            done.get(SECONDS_A_FEATURE, TimeUnit.SECONDS);
            Probe.say("@pass", probe.feature);
        } catch (ExecutionException error) {
            tell(probe, root(error));
        } catch (TimeoutException | InterruptedException error) {
            Probe.say("@fail", probe.feature, "not done after " + SECONDS_A_FEATURE + " s");
        } finally {
            one.shutdownNow();
        }
        Probe.say(probe.feature + " took " + (System.nanoTime() - began) / 1_000_000 + " ms");
    }

    private static void tell(Probe probe, Throwable error) {
        // A producer wraps the broker's answer in an error of its own that carries only the broker's sentence.
        String unsupported = Errors.UNSUPPORTED_VERSION.message();
        if (error instanceof UnsupportedVersionException || String.valueOf(error.getMessage()).contains(unsupported)) {
            Probe.say("@refused", probe.feature, error.toString());
            return;
        }
        Probe.say("@fail", probe.feature, error.toString());
        error.printStackTrace(System.out);
    }

    private static Throwable root(Throwable error) {
        while (error instanceof ExecutionException && error.getCause() != null) {
            error = error.getCause();
        }
        return error;
    }
}
