/* Members of the consumer protocol (KIP-848): they join, do as they are told until everybody has its assignment, then beat.
 *
 * Included by loadgen.c, whose connections and clocks it uses. A member gives up at once what it is told to, and says so with its
 * next heartbeat, as clients do.
 */
enum { CONSUMER_HEARTBEAT = 68 };

typedef struct {
    uint8_t topic_id[16];
    int *owned, count, room;
    bool says_owned; /* what it has is not what it said last */
} Consumer;

static Consumer *consumers; /* beside members */

static Consumer *consumer_of(const Member *m) { return &consumers[m - members]; }

static void write_consumer_heartbeat(Bytes *b, const Member *m) {
    const Consumer *own = consumer_of(m);
    bool joins = m->generation == 0;
    begin(b, CONSUMER_HEARTBEAT, 1);
    put_text(b, m->group); put_text(b, m->id); put32(b, (uint32_t)m->generation);
    put8(b, 0); put8(b, 0); put32(b, joins ? REBALANCE_MS : 0xffffffff);
    if (joins) { put_count(b, 1); put_text(b, topic); } else put8(b, 0);
    put8(b, 0); put8(b, 0);
    if (joins) put_count(b, 0);
    else if (!own->says_owned) put8(b, 0);
    else {
        put_count(b, own->count ? 1 : 0);
        if (own->count) {
            put(b, own->topic_id, 16);
            put_count(b, (uint32_t)own->count);
            for (int i = 0; i < own->count; i++) put32(b, (uint32_t)own->owned[i]);
            put8(b, 0);
        }
    }
    finish(b);
}

static void take_assignment(Reader *r, Consumer *own) {
    int topics = get_count(r), taken = 0;
    if (topics > 1) die("ConsumerGroupHeartbeat: %d topics", topics);
    for (int t = 0; t < topics; t++) {
        memcpy(own->topic_id, take(r, 16), 16);
        taken = get_count(r);
        if (taken > own->room) own->owned = realloc(own->owned, sizeof(int) * (size_t)(own->room = taken));
        for (int i = 0; i < taken; i++) own->owned[i] = get32(r);
        take(r, 1);
    }
    own->count = taken;
    own->says_owned = true;
}

/* In the measured loop there is no member to tell: an answer that differs from the one before must not bring an assignment. */
static int consumer_error(Reader r, Member *m) {
    int error = get16(&r);
    skip_text(&r);
    if (error) return error;
    skip_text(&r);
    int epoch = get32(&r);
    get32(&r);
    bool is_assigned = *take(&r, 1) == 1;
    if (m) {
        m->generation = epoch;
        consumer_of(m)->says_owned = false;
        if (is_assigned) take_assignment(&r, consumer_of(m));
    } else if (is_assigned) die("ConsumerGroupHeartbeat: a new assignment in a steady group");
    return 0;
}

/* One heartbeat of each of these members, which have connections side by side. */
static void beat_once(int count) {
    for (int i = 0; i < count; i++) write_consumer_heartbeat(&connections[i].own, connections[i].member);
    exchange(connections, count, consumer_error, "ConsumerGroupHeartbeat");
}

/* Everybody is at one epoch, has said what it has, and has its share: before the target of all of them some have nothing. */
static bool has_settled(Member *group, int size) {
    int taken = 0;
    for (int i = 0; i < size; i++) {
        const Consumer *own = consumer_of(&group[i]);
        if (own->says_owned || group[i].generation != group[0].generation || own->count < partitions / size) return false;
        taken += own->count;
    }
    return taken == partitions;
}

/* Members of whole groups join and beat until every partition of their groups has its owner. */
static void join_consumers(void) {
    int wave = want.connections / want.group_size * want.group_size;
    if (!wave) die("a group of %d needs as many connections, not %d", want.group_size, want.connections);
    if (partitions < want.group_size) die("%d partitions are not enough for a group of %d", partitions, want.group_size);
    size_t most = (size_t)(want.members + want.warm_rounds + want.rounds);
    members = calloc(most, sizeof *members);
    consumers = calloc(most, sizeof *consumers);
    for (int from = 0; from < want.members; from += wave) {
        int count = want.members - from < wave ? want.members - from : wave;
        for (int i = 0; i < count; i++) {
            Member *m = connections[i].member = &members[from + i];
            snprintf(m->group, sizeof m->group, "%s-%d", want.prefix, (from + i) / want.group_size);
            snprintf(m->id, sizeof m->id, "%s-member-%d", want.prefix, from + i);
        }
        int64_t patience = now_ns() + PATIENCE_SECONDS * 1000000000LL;
        for (bool settled = false; !settled;) {
            beat_once(count);
            settled = true;
            for (int i = 0; i < count; i += want.group_size)
                settled = settled && has_settled(&members[from + i], want.group_size);
            if (now_ns() > patience) die("the groups do not settle");
            if (!settled) usleep(20000); /* the next target may be due a second later */
        }
    }
}

/* One more member joins; everybody beats until it has what the new target says. Those that are there already are left alone. */
static void one_newcomer(int size) {
    Member *m = connections[size].member = &members[size];
    snprintf(m->group, sizeof m->group, "%s-0", want.prefix);
    snprintf(m->id, sizeof m->id, "%s-member-%d", want.prefix, size);
    Times began = times_now();
    write_consumer_heartbeat(&connections[size].own, m);
    exchange(&connections[size], 1, consumer_error, "ConsumerGroupHeartbeat");
    uint64_t beats = 1;
    for (int at = 0; !has_settled(members, size + 1); at = (at + 1) % (size + 1)) {
        const Member *other = connections[at].member;
        bool is_there = other->generation == m->generation && !consumer_of(other)->says_owned;
        if (is_there && at != size) continue;
        /* all of these at once: neighbours that have to be asked too */
        int last = at;
        while (last < size && (members[last + 1].generation != m->generation || consumer_of(&members[last + 1])->says_owned))
            last++;
        for (int i = at; i <= last; i++) {
            write_consumer_heartbeat(&connections[i].own, connections[i].member);
            beats++;
        }
        exchange(&connections[at], last - at + 1, consumer_error, "ConsumerGroupHeartbeat");
        at = last;
        if (beats > 100ULL * (uint64_t)size) die("the group does not settle after %llu heartbeats", (unsigned long long)beats);
    }
    if (measuring) report((uint64_t)size + 1, began, 0, 0);
}

static void newcomers(void) {
    for (int round = 0; round < want.warm_rounds + want.rounds; round++) {
        measuring = round >= want.warm_rounds;
        one_newcomer(want.group_size + round);
    }
}
