import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;

/** `muster serve --memory --control` while tests run, and its controls. */
final class Muster implements AutoCloseable {
    final String broker;
    private final Process server;
    private final String control;
    private final HttpClient http = HttpClient.newHttpClient();

    Muster() throws IOException {
        String program = System.getenv().getOrDefault("MUSTER", "muster");
        server = new ProcessBuilder(program, "serve", "--memory", "--listen", "127.0.0.1:0", "--control", "127.0.0.1:0",
                "--log-level", "error", "--set", "group.initial.rebalance.delay.ms=0")
                .redirectError(ProcessBuilder.Redirect.INHERIT).start();
        BufferedReader lines = server.inputReader();
        broker = lastWord(lines.readLine()); // "listening on HOST:PORT"
        control = lastWord(lines.readLine()); // "control on http://HOST:PORT/"
    }

    /** Sends a request to the controls; the answer is JSON. */
    String ask(String method, String path, String body) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create(control + path)).version(HttpClient.Version.HTTP_1_1)
                .method(method, HttpRequest.BodyPublishers.ofString(body)).build();
        HttpResponse<String> reply = http.send(request, HttpResponse.BodyHandlers.ofString());
        if (reply.statusCode() != 200) {
            throw new AssertionError(reply.body());
        }
        return reply.body();
    }

    @Override
    public void close() {
        server.destroy();
    }

    private static String lastWord(String line) {
        return line.substring(line.lastIndexOf(' ') + 1);
    }
}
