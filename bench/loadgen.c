/* Load for a group coordinator: real joined members on many connections, one request in flight on each.
 *
 * Checks every answer. Prints lines of JSON: requests, seconds, CPU of the server process (all its threads, kernel
 * included) and of this program, latencies. Knows nothing of which server answers. bench/generator.py builds it.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "loadgen_wire.h"
#include "loadgen_times.h"

enum { PATIENCE_SECONDS = 60, EVENTS = 1024 };

/* What was asked for on the command line. */
static struct {
    const char *workload, *prefix;
    int port, connections, active, members, group_size, rate, groups, rounds, warm_rounds;
    double warm, seconds;
    bool hold;
} want = {.workload = "heartbeat", .prefix = "load", .connections = 100, .group_size = 10,
          .groups = 1000, .rounds = 7, .warm_rounds = 3, .warm = 1, .seconds = 3};

/* ---- connections ---- */

typedef struct {
    int fd;
    uint32_t correlation;
    bool waiting, wants_room;
    size_t sent;
    Bytes own, in, good; /* good: an answer that was checked; most later ones equal it */
    const Bytes *out;
    Member *member;
    int64_t asked_ns, due_ns;
    int turn;
} Connection;

static Connection *connections;
static Member *members;
static int poll_fd;

static void watch(Connection *c, int operation, uint32_t events) {
    struct epoll_event event = {.events = events, .data.ptr = c};
    if (epoll_ctl(poll_fd, operation, c->fd, &event)) die("epoll: %s", strerror(errno));
}

static void connect_all(void) {
    struct rlimit limit;
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)want.port)};
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connections = calloc((size_t)want.connections, sizeof *connections);
    poll_fd = epoll_create1(0);
    for (int i = 0, yes = 1; i < want.connections; i++) {
        Connection *c = &connections[i];
        if ((c->fd = socket(AF_INET, SOCK_STREAM, 0)) < 0) die("connection %d: %s (ulimit -n?)", i, strerror(errno));
        if (connect(c->fd, (struct sockaddr *)&to, sizeof to))
            die("connection %d to port %d: %s", i, want.port, strerror(errno));
        setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
        fcntl(c->fd, F_SETFL, O_NONBLOCK);
        watch(c, EPOLL_CTL_ADD, EPOLLIN);
    }
}

static void push_out(Connection *c) {
    while (c->sent < c->out->len) {
        ssize_t n = send(c->fd, c->out->at + c->sent, c->out->len - c->sent, MSG_NOSIGNAL);
        if (n < 0 && errno != EAGAIN) die("sending: %s", strerror(errno));
        if (n < 0) break;
        c->sent += (size_t)n;
    }
    bool more = c->sent < c->out->len;
    if (more != c->wants_room) watch(c, EPOLL_CTL_MOD, more ? EPOLLIN | EPOLLOUT : EPOLLIN);
    c->wants_room = more;
}

static void ask(Connection *c, const Bytes *request, int64_t asked_ns) {
    uint32_t correlation = htobe32(++c->correlation);
    memcpy(request->at + 8, &correlation, 4);
    c->out = request;
    c->sent = c->in.len = 0;
    c->waiting = true;
    c->asked_ns = asked_ns;
    push_out(c);
}

/* True when the whole reply to the request in flight is in c->in. */
static bool answered(Connection *c, uint32_t events) {
    if (events & EPOLLOUT) push_out(c);
    if (!(events & (EPOLLIN | EPOLLHUP | EPOLLERR))) return false;
    make_room(&c->in, 512);
    ssize_t n = recv(c->fd, c->in.at + c->in.len, c->in.room - c->in.len, 0);
    if (n == 0) die("the server closed a connection");
    if (n < 0 && errno != EAGAIN) die("receiving: %s", strerror(errno));
    if (n < 0) return false;
    c->in.len += (size_t)n;
    if (c->in.len < 8) return false;
    uint32_t words[2];
    memcpy(words, c->in.at, 8);
    size_t size = 4 + (size_t)be32toh(words[0]);
    if (size > c->in.len) { make_room(&c->in, size - c->in.len); return false; }
    if (size < c->in.len || be32toh(words[1]) != c->correlation || !c->waiting) die("a reply that nobody asked for");
    c->waiting = false;
    return true;
}

/* ---- one request on each of some connections, until each is answered ---- */

typedef int (*ErrorIn)(Reader, Member *);

static bool passing(int error) {
    return error == LOADING || error == NOT_AVAILABLE || error == NOT_COORDINATOR || error == UNKNOWN_TOPIC;
}

/* Sends what each has as its own request, the last connection first (one that waits already is not asked twice), and
 * asks again while the server is not ready yet. Returns the last error, 0 if there was none. */
static int exchange(Connection *first, int count, ErrorIn error_in, const char *what) {
    int left = count, last_error = 0;
    int64_t patience = now_ns() + PATIENCE_SECONDS * 1000000000LL;
    for (int i = count - 1; i >= 0; i--)
        if (!first[i].waiting) ask(&first[i], &first[i].own, now_ns());
    while (left) {
        struct epoll_event events[EVENTS];
        int n = epoll_wait(poll_fd, events, EVENTS, 120000);
        if (n == 0) die("%s: no answer within two minutes", what);
        for (int i = 0; i < n; i++) {
            Connection *c = events[i].data.ptr;
            if (!answered(c, events[i].events)) continue;
            int error = error_in(body(&c->in), c->member);
            if (passing(error)) {
                if (now_ns() > patience) die("%s: still error %d", what, error);
                usleep(count > 100 ? 1000 : 20000);
                ask(c, &c->own, now_ns());
                continue;
            }
            if (error && error != ID_REQUIRED && error != REBALANCING) die("%s: error %d", what, error);
            if (error) last_error = error;
            left--;
        }
    }
    return last_error;
}

static void prepare_server(void) {
    Connection *c = connections;
    write_find_coordinator(&c->own, want.prefix, GROUP_KEY);
    exchange(connections, 1, coordinator_error, "FindCoordinator");
    write_create_topic(&c->own);
    exchange(connections, 1, create_topic_error, "CreateTopics");
    for (int there = MOST_AT_ONCE; there < partitions;) {
        there = there + MOST_AT_ONCE < partitions ? there + MOST_AT_ONCE : partitions;
        write_more_partitions(&c->own, there);
        exchange(connections, 1, more_partitions_error, "CreatePartitions");
    }
}

/* ---- joining ---- */

static void join_once(int count) {
    for (int i = 0; i < count; i++) write_join(&connections[i].own, connections[i].member);
    exchange(connections, count, join_error, "JoinGroup");
}

/* The members of a group lie side by side, on connections side by side. False if a group was rebalanced meanwhile. */
static bool sync_once(int count, int size) {
    for (int i = 0; i < count; i++) {
        Member *group = connections[i - i % size].member;
        write_sync(&connections[i].own, connections[i].member, group, size);
        if (connections[i].member->generation != group->generation) return false;
    }
    return exchange(connections, count, plain_error, "SyncGroup") == 0;
}

/* Everybody joins in waves of whole groups, because a JoinGroup that waits keeps its connection to itself. */
static void join_members(void) {
    int wave = want.connections / want.group_size * want.group_size;
    if (!wave) die("a group of %d needs as many connections, not %d", want.group_size, want.connections);
    members = calloc((size_t)want.members, sizeof *members);
    for (int from = 0; from < want.members; from += wave) {
        int count = want.members - from < wave ? want.members - from : wave;
        for (int i = 0; i < count; i++) {
            Member *m = connections[i].member = &members[from + i];
            snprintf(m->group, sizeof m->group, "%s-%d", want.prefix, (from + i) / want.group_size);
        }
        join_once(count); /* KIP-394: hands out the ids */
        int attempts = 0;
        do {
            if (++attempts > 10) die("the groups do not settle");
            join_once(count);
        } while (!sync_once(count, want.group_size));
    }
}

/* Everybody commits once, so that there is something to fetch and the topic is known everywhere. */
static void commit_first_offsets(void) {
    for (int from = 0; from < want.members; from += want.connections) {
        int count = want.members - from < want.connections ? want.members - from : want.connections;
        for (int i = 0; i < count; i++) {
            Member *m = &members[from + i];
            write_commit(&connections[i].own, m->group, m->generation, m->id);
        }
        exchange(connections, count, commit_error, "OffsetCommit");
    }
}

/* ---- the measured loop ---- */

static ErrorIn reply_error;
static bool measuring, commits;

static const Bytes *next_request(Connection *c) {
    int index = (int)(c - connections) + c->turn * want.connections;
    if (index >= want.members) { c->turn = 0; index = (int)(c - connections); }
    c->turn++;
    const Bytes *request = &members[index].request;
    if (commits) { /* offsets move on, as those of a working consumer do */
        uint64_t offset = htobe64((uint64_t)++committed);
        uint8_t *at = request->at + members[index].first_offset_at;
        for (int p = 0; p < partitions; p++) memcpy(at + p * COMMIT_STRIDE, &offset, 8);
    }
    return request;
}

static void check(Connection *c) {
    if (c->in.len == c->good.len && !memcmp(c->in.at + 8, c->good.at + 8, c->in.len - 8)) return;
    int error = reply_error(body(&c->in), NULL);
    if (error) die("%s: error %d", want.workload, error);
    c->good.len = 0;
    put(&c->good, c->in.at, c->in.len);
}

static int consumer_error(Reader r, Member *m);
static void write_consumer_heartbeat(Bytes *b, const Member *m);

static void write_requests(void) {
    for (int i = 0; i < want.members; i++) {
        Member *m = &members[i];
        if (reply_error == plain_error) write_heartbeat(&m->request, m);
        else if (reply_error == consumer_error) write_consumer_heartbeat(&m->request, m);
        else if (reply_error == fetch_error) write_fetch(&m->request, m);
        else if (reply_error == describe_error) write_describe(&m->request, m);
        else if (reply_error == list_error) write_list(&m->request);
        else m->first_offset_at = write_commit(&m->request, m->group, m->generation, m->id);
    }
}

/* Waits for events no longer than until due_ns. */
static int events_until(struct epoll_event *events, int64_t due_ns) {
    int n = epoll_wait(poll_fd, events, EVENTS, 0);
    int64_t left = due_ns - now_ns();
    if (n || left <= 0) return n;
    struct pollfd ready = {.fd = poll_fd, .events = POLLIN};
    struct timespec wait = {left / 1000000000, left % 1000000000};
    if (ppoll(&ready, 1, &wait, NULL) < 0 && errno != EINTR) die("poll: %s", strerror(errno));
    return epoll_wait(poll_fd, events, EVENTS, 0);
}

/* As fast as answers come, or at a fixed rate in all: then a latency counts from when the request was due. */
static void run(double seconds, uint64_t *missed) {
    int64_t due = now_ns(), end = due + (int64_t)(seconds * 1e9), gap = want.rate ? 1000000000LL / want.rate : 0;
    int turn = 0, in_flight = 0;
    for (int i = 0; !gap && i < want.active; i++, in_flight++)
        ask(&connections[i], next_request(&connections[i]), now_ns());
    bool over = false;
    while (!over || in_flight) {
        struct epoll_event events[EVENTS];
        int n = gap && !over ? events_until(events, due) : epoll_wait(poll_fd, events, EVENTS, 30000);
        if (n == 0 && (!gap || over)) die("%s: no answer within thirty seconds", want.workload);
        for (int i = 0; i < n; i++) {
            Connection *c = events[i].data.ptr;
            if (!answered(c, events[i].events)) continue;
            int64_t now = now_ns();
            check(c);
            if (measuring) count_latency(now - c->asked_ns);
            in_flight--;
            if (now >= end) over = true;
            if (gap ? c->due_ns != 0 : !over) {
                ask(c, next_request(c), gap ? c->due_ns : now);
                c->due_ns = 0;
                in_flight++;
            }
        }
        for (; gap && !over && due <= now_ns(); due += gap, turn = (turn + 1) % want.active) {
            Connection *c = &connections[turn];
            if (due >= end) over = true;
            if (!c->waiting) { ask(c, next_request(c), due); in_flight++; }
            else if (!c->due_ns) c->due_ns = due;
            else ++*missed;
        }
    }
}

/* ---- workloads ---- */

/* One line of JSON: what was done since `began`. The names are those of bench/generator.py's Load. */
static void report(uint64_t requests, Times began, uint64_t missed, double join_seconds) {
    Times now = times_now();
    printf("{\"requests\": %llu, \"missed\": %llu, \"join_seconds\": %.6f, ", (unsigned long long)requests,
           (unsigned long long)missed, join_seconds);
    printf("\"seconds\": %.6f, \"server_cpu_seconds\": %.6f, ", (double)(now.wall - began.wall) / 1e9,
           (double)(now.server - began.server) / 1e9);
    printf("\"own_cpu_seconds\": %.6f, ", (double)(now.own - began.own) / 1e9);
    printf("\"p50_us\": %.1f, \"p99_us\": %.1f}\n", quantile_us(0.5), quantile_us(0.99));
    fflush(stdout);
}

/* Warm is who has worked for so long: on a busy machine that takes longer by the clock, but not for ever. */
static void warm_up(void) {
    Times began = times_now(), now = began;
    double enough = want.warm * 1e9;
    uint64_t missed = 0;
    while ((double)(now.server - began.server) < enough && (double)(now.wall - began.wall) < 3 * enough) {
        run(0.25, &missed);
        now = times_now();
    }
}

static void steady_load(void) {
    write_requests();
    uint64_t missed = 0;
    warm_up();
    measuring = true;
    Times began = times_now();
    run(want.seconds, &missed);
    report(counted, began, missed, 0);
}

/* Offsets of consumers without membership: want.groups groups, one commit of all partitions each. */
static void fill_offsets(void) {
    int started = 0, done = 0;
    Times began = times_now();
    struct epoll_event events[EVENTS];
    char group[64];
    for (int i = 0; i < want.connections && started < want.groups; i++) {
        snprintf(group, sizeof group, "%s-%d", want.prefix, started++);
        write_commit(&connections[i].own, group, -1, "");
        ask(&connections[i], &connections[i].own, now_ns());
    }
    while (done < want.groups) {
        int n = epoll_wait(poll_fd, events, EVENTS, 30000);
        if (n == 0) die("OffsetCommit: no answer within thirty seconds");
        for (int i = 0; i < n; i++) {
            Connection *c = events[i].data.ptr;
            if (!answered(c, events[i].events)) continue;
            count_latency(now_ns() - c->asked_ns);
            int error = commit_error(body(&c->in), NULL);
            if (error && !passing(error)) die("OffsetCommit: error %d", error);
            if (error) usleep(20000);
            else if (++done && started >= want.groups) continue;
            if (!error) {
                snprintf(group, sizeof group, "%s-%d", want.prefix, started++);
                write_commit(&c->own, group, -1, "");
            }
            ask(c, &c->own, now_ns());
        }
    }
    report((uint64_t)done, began, 0, 0);
}

/* Members learn by heartbeat that they must join again. Before that a JoinGroup would be answered at once. */
static void await_rebalance(void) {
    Member *m = &members[1];
    Bytes join = connections[1].own, beat = {0};
    write_heartbeat(&beat, m);
    connections[1].own = beat;
    while (exchange(&connections[1], 1, plain_error, "Heartbeat") != REBALANCING) {}
    connections[1].own = join;
    free(beat.at);
}

/* A group that a newcomer rebalances: the newcomer joins first, then everybody, then all sync. One line a round. */
static void rebalance(void) {
    int size = want.group_size, rounds = want.warm_rounds + want.rounds;
    members = realloc(members, (size_t)(size + rounds) * sizeof *members);
    memset(members + size, 0, (size_t)rounds * sizeof *members);
    for (int i = 0; i < size + rounds; i++) {
        connections[i].member = &members[i];
        if (i >= size) strcpy(members[i].group, members[0].group);
    }
    for (int round = 0; round < rounds; round++) {
        Connection *newcomer = &connections[size];
        write_join(&newcomer->own, newcomer->member);
        exchange(newcomer, 1, join_error, "JoinGroup of the newcomer");
        size++;
        for (int i = 0; i < size; i++) write_join(&connections[i].own, connections[i].member);
        Times began = times_now();
        ask(newcomer, &newcomer->own, began.wall);
        await_rebalance();
        exchange(connections, size, join_error, "JoinGroup");
        int64_t joined = now_ns();
        if (!sync_once(size, size)) die("the rebalance was disturbed by another one");
        if (round >= want.warm_rounds) report((uint64_t)size, began, 0, (double)(joined - began.wall) / 1e9);
    }
}

#include "loadgen_transactions.h"
#include "loadgen_consumers.h"

static void read_options(int count, char **texts) {
    static const struct option names[] = {
        {"port", 1, 0, 'p'}, {"server", 1, 0, 'S'}, {"workload", 1, 0, 'w'}, {"prefix", 1, 0, 'x'},
        {"connections", 1, 0, 'c'}, {"active", 1, 0, 'a'}, {"members", 1, 0, 'm'}, {"group-size", 1, 0, 'g'},
        {"partitions", 1, 0, 'P'}, {"rate", 1, 0, 'r'}, {"groups", 1, 0, 'G'}, {"warm", 1, 0, 'W'},
        {"seconds", 1, 0, 's'}, {"rounds", 1, 0, 'R'}, {"warm-rounds", 1, 0, 'V'}, {"hold", 0, 0, 'h'}, {0}};
    for (int got; (got = getopt_long(count, texts, "", names, NULL)) != -1;) {
        switch (got) {
        case 'p': want.port = atoi(optarg); break;
        case 'S': server_pid = atoi(optarg); break;
        case 'w': want.workload = optarg; break;
        case 'x': want.prefix = optarg; break;
        case 'c': want.connections = atoi(optarg); break;
        case 'a': want.active = atoi(optarg); break; /* connections that carry the load; the others stay idle */
        case 'm': want.members = atoi(optarg); break;
        case 'g': want.group_size = atoi(optarg); break;
        case 'P': partitions = atoi(optarg); break;
        case 'r': want.rate = atoi(optarg); break;
        case 'G': want.groups = atoi(optarg); break;
        case 'W': want.warm = atof(optarg); break;
        case 's': want.seconds = atof(optarg); break;
        case 'R': want.rounds = atoi(optarg); break;
        case 'V': want.warm_rounds = atoi(optarg); break;
        case 'h': want.hold = true; break;
        default: exit(2);
        }
    }
    if (!want.port || optind < count) die("usage: loadgen --port PORT [--workload NAME] ... (see bench/generator.py)");
    expected_members = want.group_size;
    snprintf(topic, sizeof topic, "load-%d", partitions);
    if (!want.members) want.members = want.connections;
    if (want.members < want.connections) want.connections = want.members;
    if (!want.active || want.active > want.connections) want.active = want.connections;
}

int main(int count, char **texts) {
    read_options(count, texts);
    prctl(PR_SET_TIMERSLACK, 1000); /* 1 µs instead of 50: the fixed rate asks for a request every 100 µs */
    static const struct { const char *name; ErrorIn error; } loads[] = {
        {"heartbeat", plain_error}, {"commit", commit_error}, {"fetch", fetch_error},
        {"describe", describe_error}, {"list", list_error}, {"consumer-heartbeat", consumer_error}};
    for (size_t i = 0; i < sizeof loads / sizeof *loads; i++)
        if (!strcmp(want.workload, loads[i].name)) reply_error = loads[i].error;
    bool rebalances = !strcmp(want.workload, "rebalance"), fills = !strcmp(want.workload, "fill");
    bool joins = !strcmp(want.workload, "join");
    bool transacts = !strcmp(want.workload, "transaction"), fills_ids = !strcmp(want.workload, "fill-ids");
    bool moves = !strcmp(want.workload, "newcomer"), joins_consumers = !strcmp(want.workload, "consumer-join");
    bool has_consumers = reply_error == consumer_error || moves || joins_consumers;
    bool has_groups = !has_consumers && (reply_error || rebalances || joins);
    if (!has_consumers && !has_groups && !fills && !transacts && !fills_ids) die("no workload %s", want.workload);
    if (rebalances || moves) {
        want.members = want.group_size;
        want.connections = want.group_size + want.warm_rounds + want.rounds;
    }
    connect_all();
    prepare_server();
    Times began = times_now();
    if (has_groups) join_members();
    if (has_consumers) join_consumers();
    if (joins || joins_consumers) report((uint64_t)want.members, began, 0, 0);
    if (reply_error == commit_error || reply_error == fetch_error) commit_first_offsets();
    commits = reply_error == commit_error;
    if (rebalances) rebalance();
    else if (moves) newcomers();
    else if (fills) fill_offsets();
    else if (transacts) transactions();
    else if (fills_ids) fill_transactional_ids();
    else if (reply_error) steady_load();
    if (want.hold) while (getchar() != EOF) {} /* connections stay open until the caller has looked at the server */
    return 0;
}
