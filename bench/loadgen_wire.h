/* What loadgen.c says and hears: a few requests of the group protocol, each in one version, and the errors of replies.
 *
 * All these versions have compact strings and tagged fields, so their headers look alike. Knows no sockets and no time.
 */
#include <arpa/inet.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    OFFSET_COMMIT = 8, OFFSET_FETCH = 9, FIND_COORDINATOR = 10, JOIN = 11, HEARTBEAT = 12, SYNC = 14, DESCRIBE = 15,
    LIST = 16, CREATE_TOPICS = 19, CREATE_PARTITIONS = 37
};
enum {
    UNKNOWN_TOPIC = 3, LOADING = 14, NOT_AVAILABLE = 15, NOT_COORDINATOR = 16, REBALANCING = 27, TOPIC_EXISTS = 36, INVALID_PARTITIONS = 37,
    ID_REQUIRED = 79
};
enum { MOST_AT_ONCE = 5000 }; /* partitions of one request: Kafka's controller takes fewer than 10,000 records at a time */
enum { GROUP_KEY, TRANSACTION_KEY }; /* of FindCoordinator */
enum { SESSION_MS = 1800000, REBALANCE_MS = 60000 };

static char topic[32]; /* named after its size, because runs of other sizes may have come before */
static const char CLIENT[] = "load";
static int partitions = 1;     /* of that topic, and in every commit and fetch */
static int64_t committed = 1;  /* the offset that is committed next */
static int expected_members;   /* in an answer to DescribeGroups */

static void die(const char *format, ...) {
    va_list values;
    va_start(values, format);
    fputs("loadgen: ", stderr);
    vfprintf(stderr, format, values);
    fputc('\n', stderr);
    va_end(values);
    exit(1);
}

/* ---- writing requests ---- */

typedef struct { uint8_t *at; size_t len, room; } Bytes;

static void make_room(Bytes *b, size_t more) {
    if (b->len + more <= b->room) return;
    b->room = (b->len + more) * 2;
    if (!(b->at = realloc(b->at, b->room))) die("out of memory");
}
static void put(Bytes *b, const void *from, size_t count) {
    make_room(b, count);
    memcpy(b->at + b->len, from, count);
    b->len += count;
}
static void put8(Bytes *b, uint8_t v) { put(b, &v, 1); }
static void put16(Bytes *b, uint16_t v) { v = htobe16(v); put(b, &v, 2); }
static void put32(Bytes *b, uint32_t v) { v = htobe32(v); put(b, &v, 4); }
static void put64(Bytes *b, uint64_t v) { v = htobe64(v); put(b, &v, 8); }
static void put_count(Bytes *b, uint32_t v) { /* compact arrays and strings: one more than the length, as varint */
    for (v++; v >= 128; v >>= 7) put8(b, (uint8_t)(v | 128));
    put8(b, (uint8_t)v);
}
static void put_blob(Bytes *b, const void *from, size_t count) { put_count(b, (uint32_t)count); put(b, from, count); }
static void put_text(Bytes *b, const char *text) { put_blob(b, text, strlen(text)); }

static void begin(Bytes *b, int api, int version) {
    b->len = 0;
    put32(b, 0);
    put16(b, (uint16_t)api);
    put16(b, (uint16_t)version);
    put32(b, 0);
    put16(b, sizeof CLIENT - 1);
    put(b, CLIENT, sizeof CLIENT - 1);
    put8(b, 0);
}
static void finish(Bytes *b) {
    put8(b, 0);
    uint32_t size = htobe32((uint32_t)b->len - 4);
    memcpy(b->at, &size, 4);
}

/* ---- reading replies ---- */

typedef struct { const uint8_t *at, *end; } Reader;

static const uint8_t *take(Reader *r, size_t count) {
    if ((size_t)(r->end - r->at) < count) die("a reply ends too early");
    r->at += count;
    return r->at - count;
}
static int get16(Reader *r) { uint16_t v; memcpy(&v, take(r, 2), 2); return (int16_t)be16toh(v); }
static int get32(Reader *r) { uint32_t v; memcpy(&v, take(r, 4), 4); return (int32_t)be32toh(v); }
static int get_count(Reader *r) {
    uint32_t v = 0;
    for (int shift = 0; shift < 35; shift += 7) {
        uint8_t byte = *take(r, 1);
        v |= (uint32_t)(byte & 127) << shift;
        if (byte < 128) break;
    }
    return (int)v - 1;
}
static void skip_text(Reader *r) { int n = get_count(r); if (n > 0) take(r, (size_t)n); }

/* ---- members ---- */

typedef struct {
    char group[64], id[128];
    int generation, first_offset_at;
    bool leads;
    Bytes request; /* what it sends in the measurement */
} Member;

/* What stands after size, correlation id, tags and throttle time, which all these replies have. */
static Reader body(const Bytes *in) {
    Reader r = {in->at + 8, in->at + in->len};
    take(&r, 5);
    return r;
}

/* ---- requests, and the error in their replies ---- */

static void write_find_coordinator(Bytes *b, const char *key, uint8_t kind) {
    begin(b, FIND_COORDINATOR, 4);
    put8(b, kind);
    put_count(b, 1);
    put_text(b, key);
    finish(b);
}
static int coordinator_error(Reader r, Member *m) {
    (void)m;
    if (get_count(&r) != 1) die("FindCoordinator: not one coordinator");
    skip_text(&r); get32(&r); skip_text(&r); get32(&r);
    return get16(&r);
}

static void write_create_topic(Bytes *b) {
    begin(b, CREATE_TOPICS, 7);
    put_count(b, 1);
    put_text(b, topic); put32(b, (uint32_t)(partitions < MOST_AT_ONCE ? partitions : MOST_AT_ONCE));
    put16(b, 1); put_count(b, 0); put_count(b, 0); put8(b, 0);
    put32(b, 30000); put8(b, 0);
    finish(b);
}
static int create_topic_error(Reader r, Member *m) {
    (void)m;
    get_count(&r); skip_text(&r); take(&r, 16);
    int error = get16(&r);
    return error == TOPIC_EXISTS ? 0 : error;
}

static void write_more_partitions(Bytes *b, int count) {
    begin(b, CREATE_PARTITIONS, 2);
    put_count(b, 1);
    put_text(b, topic); put32(b, (uint32_t)count); put8(b, 0); put8(b, 0);
    put32(b, 30000); put8(b, 0);
    finish(b);
}
static int more_partitions_error(Reader r, Member *m) {
    (void)m;
    get_count(&r); skip_text(&r);
    int error = get16(&r);
    return error == INVALID_PARTITIONS ? 0 : error; /* it has as many already */
}

static void write_join(Bytes *b, const Member *m) {
    static const char subscription[] = "\0\0\0\0\0\1\0\4load\xff\xff\xff\xff";
    begin(b, JOIN, 9);
    put_text(b, m->group); put32(b, SESSION_MS); put32(b, REBALANCE_MS);
    put_text(b, m->id); put8(b, 0); put_text(b, "consumer");
    put_count(b, 1); put_text(b, "range"); put_blob(b, subscription, sizeof subscription - 1); put8(b, 0);
    put8(b, 0);
    finish(b);
}
static int join_error(Reader r, Member *m) {
    int error = get16(&r);
    if (error && error != ID_REQUIRED) return error;
    m->generation = get32(&r);
    skip_text(&r); skip_text(&r);
    int leader_length = get_count(&r);
    const uint8_t *leader = take(&r, leader_length > 0 ? (size_t)leader_length : 0);
    take(&r, 1);
    int length = get_count(&r);
    if (length < 1 || length >= (int)sizeof m->id) die("JoinGroup: a member id of %d bytes", length);
    memcpy(m->id, take(&r, (size_t)length), (size_t)length);
    m->id[length] = 0;
    m->leads = leader_length == length && !memcmp(leader, m->id, (size_t)length);
    return error;
}

static void write_sync(Bytes *b, const Member *m, const Member *group, int size) {
    static const char assignment[] = "\0\0\0\0\0\1\0\4load\0\0\0\1\0\0\0\0\xff\xff\xff\xff";
    begin(b, SYNC, 5);
    put_text(b, m->group); put32(b, (uint32_t)m->generation); put_text(b, m->id);
    put8(b, 0); put_text(b, "consumer"); put_text(b, "range");
    put_count(b, m->leads ? (uint32_t)size : 0);
    for (int i = 0; m->leads && i < size; i++) {
        put_text(b, group[i].id); put_blob(b, assignment, sizeof assignment - 1); put8(b, 0);
    }
    finish(b);
}
static void write_heartbeat(Bytes *b, const Member *m) {
    begin(b, HEARTBEAT, 4);
    put_text(b, m->group); put32(b, (uint32_t)m->generation); put_text(b, m->id); put8(b, 0);
    finish(b);
}
static int plain_error(Reader r, Member *m) { (void)m; return get16(&r); }

enum { COMMIT_STRIDE = 18 };
/* Returns where the first offset stands; the others follow at that stride. */
static int write_commit(Bytes *b, const char *group, int generation, const char *id) {
    begin(b, OFFSET_COMMIT, 8);
    put_text(b, group); put32(b, (uint32_t)generation); put_text(b, id); put8(b, 0);
    put_count(b, 1); put_text(b, topic); put_count(b, (uint32_t)partitions);
    int first = (int)b->len + 4;
    for (int p = 0; p < partitions; p++) {
        put32(b, (uint32_t)p); put64(b, (uint64_t)committed); put32(b, 0xffffffff); put_count(b, 0); put8(b, 0);
    }
    put8(b, 0);
    finish(b);
    return first;
}
static int commit_error(Reader r, Member *m) {
    (void)m;
    if (get_count(&r) != 1) die("OffsetCommit: not one topic");
    skip_text(&r);
    if (get_count(&r) != partitions) die("OffsetCommit: not %d partitions", partitions);
    for (int p = 0; p < partitions; p++) {
        get32(&r);
        int error = get16(&r);
        if (error) return error;
        take(&r, 1);
    }
    return 0;
}

static void write_fetch(Bytes *b, const Member *m) {
    begin(b, OFFSET_FETCH, 8);
    put_count(b, 1); put_text(b, m->group);
    put_count(b, 1); put_text(b, topic); put_count(b, (uint32_t)partitions);
    for (int p = 0; p < partitions; p++) put32(b, (uint32_t)p);
    put8(b, 0); put8(b, 0); put8(b, 0);
    finish(b);
}
static int fetch_error(Reader r, Member *m) {
    (void)m;
    if (get_count(&r) != 1) die("OffsetFetch: not one group");
    skip_text(&r);
    if (get_count(&r) == 1) {
        skip_text(&r);
        if (get_count(&r) != partitions) die("OffsetFetch: not %d partitions", partitions);
        for (int p = 0; p < partitions; p++) {
            get32(&r);
            int high = get32(&r);
            get32(&r); get32(&r); skip_text(&r);
            int error = get16(&r);
            if (error || high < 0) return error ? error : -1;
            take(&r, 1);
        }
        take(&r, 1);
    }
    return get16(&r);
}

static void write_describe(Bytes *b, const Member *m) {
    begin(b, DESCRIBE, 5);
    put_count(b, 1); put_text(b, m->group); put8(b, 0);
    finish(b);
}
static int describe_error(Reader r, Member *m) {
    (void)m;
    if (get_count(&r) != 1) die("DescribeGroups: not one group");
    int error = get16(&r);
    for (int i = 0; i < 4; i++) skip_text(&r);
    int found = get_count(&r);
    if (!error && found != expected_members) die("DescribeGroups: %d members, not %d", found, expected_members);
    return error;
}

static void write_list(Bytes *b) {
    begin(b, LIST, 4);
    put_count(b, 0);
    finish(b);
}
static int list_error(Reader r, Member *m) {
    (void)m;
    int error = get16(&r), found = get_count(&r);
    if (!error && found < 1) die("ListGroups: no groups");
    return error;
}
