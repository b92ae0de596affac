import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/** What all members of a group have read and committed together. */
final class Reads {
    final Set<String> seen = ConcurrentHashMap.newKeySet();
    final Set<String> committed = ConcurrentHashMap.newKeySet();
    final Set<String> again = ConcurrentHashMap.newKeySet();
    final List<String> errors = new CopyOnWriteArrayList<>();

    void read(String value) {
        seen.add(value);
        if (committed.contains(value)) {
            again.add(value);
        }
    }
}
