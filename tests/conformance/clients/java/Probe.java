import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.common.errors.UnsupportedVersionException;

/** Says what was found, in the lines that the runner reads, and holds what all features expect of a broker. */
final class Probe {
    static final Duration PATIENCE = Duration.ofSeconds(30);

    final String bootstrap;
    final String feature;

    Probe(String bootstrap, String feature) {
        this.bootstrap = bootstrap;
        this.feature = feature;
    }

    static void say(String... fields) {
        StringBuilder line = new StringBuilder();
        for (String field : fields) {
            line.append(line.length() == 0 ? "" : "\t").append(String.valueOf(field).replaceAll("\\s+", " "));
        }
        synchronized (System.out) {
            System.out.println(line);
            System.out.flush();
        }
    }

    void saw(String what, Object value) {
        say("@saw", feature, what, String.valueOf(value));
    }

    void same(String what, Object expected, Object got) {
        if (!Objects.equals(expected, got)) {
            throw new AssertionError(what + ": expected " + expected + ", got " + got);
        }
    }

    void holds(String what, boolean condition) {
        if (!condition) {
            throw new AssertionError(what + " does not hold");
        }
    }

    /** Waits for something another thread or the broker brings about; the limit only ends a test that has failed. */
    void until(String what, Callable<Boolean> condition) throws Exception {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (!condition.call()) {
            if (System.nanoTime() > end) {
                throw new AssertionError("still not after " + PATIENCE.toSeconds() + " s: " + what);
            }
            Thread.sleep(20);
        }
    }

    /**
     * The error that the action must end with; futures give the error inside. Shown as seen, so brokers are compared.
     * A broker that does not know the API at all has refused the feature.
     */
    Throwable fails(String what, Class<? extends Throwable> kind, Callable<?> action) {
        Throwable error = errorOf(action);
        if (error == null) {
            throw new AssertionError(what + " should fail with " + kind.getSimpleName() + " but did not");
        }
        if (error instanceof UnsupportedVersionException refusal) {
            throw refusal;
        }
        if (!kind.isInstance(error)) {
            throw new AssertionError(what + " should fail with " + kind.getSimpleName() + " but failed with " + error);
        }
        saw(what, error.getClass().getSimpleName());
        return error;
    }

    static Throwable errorOf(Callable<?> action) {
        try {
            action.call();
            return null;
        } catch (ExecutionException error) {
            return error.getCause();
        } catch (Throwable error) {
            return error;
        }
    }
}
