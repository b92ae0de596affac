/* Transactions for loadgen.c: each connection is a transactional producer that says what a client with transaction.version 2 says.
 *
 * A transaction is Produce 12 (ten records), TxnOffsetCommit 5 (one partition) and EndTxn 5, which raises the epoch, so sequences
 * begin anew. One that comes while the last one's markers are still to be written is told so and waits as Java's producer does.
 */
enum { PRODUCE = 0, INIT_PRODUCER_ID = 22, END_TXN = 26, TXN_OFFSET_COMMIT = 28 };
enum { NOT_ENOUGH_REPLICAS = 19, CONCURRENT_TRANSACTIONS = 51 };
enum { RECORDS = 10, VALUE_BYTES = 100, TRANSACTION_MS = 600000, BACK_OFF_MS = 20 };

typedef struct {
    char name[64];
    int64_t id;
    int epoch, step; /* 0: Produce, 1: TxnOffsetCommit, 2: EndTxn */
    int64_t began_ns, again_ns; /* when this transaction was begun; when to ask again, 0: not waiting */
} Producer;

static Producer *producers;

static uint32_t crc32c(const uint8_t *at, size_t count) {
    static uint32_t table[256];
    if (!table[1])
        for (uint32_t i = 0; i < 256; i++) {
            uint32_t v = i;
            for (int bit = 0; bit < 8; bit++) v = v & 1 ? v >> 1 ^ 0x82f63b78 : v >> 1;
            table[i] = v;
        }
    uint32_t crc = 0xffffffff;
    while (count--) crc = crc >> 8 ^ table[(crc ^ *at++) & 255];
    return ~crc;
}

static void put_zigzag(Bytes *b, int v) { /* of a number that is not negative */
    uint32_t twice = (uint32_t)v << 1;
    for (; twice >= 128; twice >>= 7) put8(b, (uint8_t)(twice | 128));
    put8(b, (uint8_t)twice);
}

/* One transactional batch, format 2, not compressed. */
static void write_batch(Bytes *b, const Producer *p) {
    static const char value[VALUE_BYTES];
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    uint64_t now_ms = (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
    b->len = 0;
    put64(b, 0); put32(b, 0); put32(b, 0xffffffff); put8(b, 2); put32(b, 0);
    put16(b, 0x10); put32(b, RECORDS - 1); put64(b, now_ms); put64(b, now_ms);
    put64(b, (uint64_t)p->id); put16(b, (uint16_t)p->epoch); put32(b, 0); put32(b, RECORDS);
    for (int i = 0; i < RECORDS; i++) {
        put_zigzag(b, 7 + VALUE_BYTES); /* attributes, two deltas, no key, the value and its length, no headers */
        put8(b, 0); put_zigzag(b, 0); put_zigzag(b, i); put8(b, 1);
        put_zigzag(b, VALUE_BYTES); put(b, value, VALUE_BYTES); put8(b, 0);
    }
    uint32_t size = htobe32((uint32_t)b->len - 12), crc = htobe32(crc32c(b->at + 21, b->len - 21));
    memcpy(b->at + 8, &size, 4);
    memcpy(b->at + 17, &crc, 4);
}

static void write_init(Bytes *b, const char *name) {
    begin(b, INIT_PRODUCER_ID, 4);
    put_text(b, name); put32(b, TRANSACTION_MS); put64(b, (uint64_t)-1); put16(b, 0xffff);
    finish(b);
}

static void read_producer(Reader *r, Producer *p) {
    uint64_t id;
    memcpy(&id, take(r, 8), 8);
    p->id = (int64_t)be64toh(id);
    p->epoch = get16(r);
}

static void write_step(Bytes *b, Producer *p, int number) {
    static Bytes batch;
    int partition = number % partitions;
    if (p->step == 0) {
        write_batch(&batch, p);
        begin(b, PRODUCE, 12);
        put_text(b, p->name); put16(b, 0xffff); put32(b, 30000);
        put_count(b, 1); put_text(b, topic);
        put_count(b, 1); put32(b, (uint32_t)partition); put_blob(b, batch.at, batch.len); put8(b, 0);
        put8(b, 0);
    } else if (p->step == 1) {
        begin(b, TXN_OFFSET_COMMIT, 5);
        put_text(b, p->name); put_text(b, p->name); put64(b, (uint64_t)p->id); put16(b, (uint16_t)p->epoch);
        put32(b, 0xffffffff); put_text(b, ""); put8(b, 0);
        put_count(b, 1); put_text(b, topic);
        put_count(b, 1); put32(b, (uint32_t)partition); put64(b, (uint64_t)++committed); put32(b, 0xffffffff);
        put_count(b, 0); put8(b, 0);
        put8(b, 0);
    } else {
        begin(b, END_TXN, 5);
        put_text(b, p->name); put64(b, (uint64_t)p->id); put16(b, (uint16_t)p->epoch); put8(b, 1);
    }
    finish(b);
}

/* The error in the answer to a step. The end of a transaction names the producer's next epoch. */
static int step_error(Connection *c, Producer *p) {
    if (p->step == 0) { /* its throttle time is behind the topics */
        Reader r = {c->in.at + 9, c->in.at + c->in.len};
        if (get_count(&r) != 1) die("Produce: not one topic");
        skip_text(&r);
        if (get_count(&r) != 1) die("Produce: not one partition");
        get32(&r);
        return get16(&r);
    }
    Reader r = body(&c->in);
    if (p->step == 1) {
        get_count(&r); skip_text(&r); get_count(&r); get32(&r);
        return get16(&r);
    }
    int error = get16(&r);
    if (!error) read_producer(&r, p);
    return error;
}

static void ask_step(Connection *c, Producer *p) {
    if (p->step == 0 && !p->began_ns) p->began_ns = now_ns();
    p->again_ns = 0;
    write_step(&c->own, p, (int)(p - producers));
    ask(c, &c->own, now_ns());
}

/* Looks at one answer. False if the producer has to wait before it asks again. */
static bool advance(Connection *c, Producer *p) {
    int error = step_error(c, p);
    /* NOT_ENOUGH_REPLICAS: what a Produce hears whose verification was overtaken by a marker; clients try again. */
    if (error == CONCURRENT_TRANSACTIONS || error == NOT_ENOUGH_REPLICAS || passing(error)) {
        p->again_ns = now_ns() + BACK_OFF_MS * 1000000LL;
        return false;
    }
    if (error) die("transaction: error %d in step %d", error, p->step);
    if (p->step == 2) {
        if (measuring) count_latency(now_ns() - p->began_ns);
        p->began_ns = 0;
    }
    p->step = (p->step + 1) % 3;
    return true;
}

/* Every producer makes one transaction after the other; those that are begun in time are ended. */
static void run_transactions(double seconds) {
    int64_t end = now_ns() + (int64_t)(seconds * 1e9);
    int busy = want.connections;
    for (int i = 0; i < want.connections; i++) ask_step(&connections[i], &producers[i]);
    while (busy) {
        struct epoll_event events[EVENTS];
        int n = epoll_wait(poll_fd, events, EVENTS, 1);
        int64_t now = now_ns();
        if (now > end + PATIENCE_SECONDS * 1000000000LL) die("transactions: no answer within a minute");
        for (int i = 0; i < n; i++) {
            Connection *c = events[i].data.ptr;
            if (!answered(c, events[i].events)) continue;
            Producer *p = &producers[c - connections];
            if (!advance(c, p)) continue;
            if (p->step == 0 && now >= end) busy--;
            else ask_step(c, p);
        }
        for (int i = 0; i < want.connections; i++)
            if (producers[i].again_ns && producers[i].again_ns <= now) ask_step(&connections[i], &producers[i]);
    }
}

static Producer *initialising; /* whose answers init_error reads, beginning with the first connection's */

static int init_error(Reader r, Member *m) {
    int error = get16(&r);
    if (!error) read_producer(&r, &initialising[m - members]);
    return error;
}

/* Transactional ids that are only initialised: count of them, in waves of one a connection. */
static void init_producers(int count) {
    producers = calloc((size_t)count, sizeof *producers);
    members = calloc((size_t)want.connections, sizeof *members); /* stand for the number of a connection */
    for (int from = 0; from < count; from += want.connections) {
        int wave = count - from < want.connections ? count - from : want.connections;
        initialising = producers + from;
        for (int i = 0; i < wave; i++) {
            connections[i].member = &members[i];
            snprintf(producers[from + i].name, sizeof producers->name, "%s-%d", want.prefix, from + i);
            write_init(&connections[i].own, producers[from + i].name);
        }
        exchange(connections, wave, init_error, "InitProducerId");
    }
}

static void prepare_transactions(void) {
    write_find_coordinator(&connections->own, want.prefix, TRANSACTION_KEY);
    exchange(connections, 1, coordinator_error, "FindCoordinator of transactions");
}

static void transactions(void) {
    prepare_transactions();
    init_producers(want.connections);
    Times began = times_now(), now = began;
    double enough = want.warm * 1e9;
    while ((double)(now.server - began.server) < enough && (double)(now.wall - began.wall) < 3 * enough) {
        run_transactions(0.25);
        now = times_now();
    }
    measuring = true;
    began = times_now();
    run_transactions(want.seconds);
    report(counted, began, 0, 0);
}

static void fill_transactional_ids(void) {
    prepare_transactions();
    Times began = times_now();
    init_producers(want.groups);
    report((uint64_t)want.groups, began, 0, 0);
}
