import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.common.errors.UnsupportedVersionException;
import org.apache.kafka.common.protocol.Errors;

/** Runs features one after the other, each for a limited time, and says what came of it. */
final class Features {
    private static final int SECONDS_A_FEATURE = 90;

    private Features() {}

    /** The arguments are those of the program: `host:port [part of a feature's name]`. */
    static void tryAll(Map<String, Feature> features, String[] arguments) {
        String only = arguments.length > 1 ? arguments[1] : "";
        features.forEach((name, feature) -> {
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
