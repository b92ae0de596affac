/* What loadgen.c measures with: clocks, the server's CPU time, and a histogram of latencies. */
#include <errno.h>
#include <time.h>

static int server_pid; /* 0: nobody's CPU time is wanted */

static int64_t clock_ns(clockid_t clock) {
    struct timespec t;
    if (clock_gettime(clock, &t)) die("clock: %s", strerror(errno));
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static int64_t now_ns(void) { return clock_ns(CLOCK_MONOTONIC); }

/* User and system time of all threads of the server, ended ones included: what /proc/PID/stat shows, in nanoseconds. */
static int64_t server_cpu_ns(void) {
    clockid_t clock;
    if (!server_pid) return 0;
    if (clock_getcpuclockid(server_pid, &clock)) die("there is no process %d", server_pid);
    return clock_ns(clock);
}

typedef struct { int64_t wall, server, own; } Times;

static Times times_now(void) { return (Times){now_ns(), server_cpu_ns(), clock_ns(CLOCK_PROCESS_CPUTIME_ID)}; }

/* Latencies in buckets of 1/64 of a power of two, so that a quantile is off by 1.6 % at most. */
enum { FINE = 64, BUCKETS = 64 * FINE };
static uint64_t histogram[BUCKETS], counted;

static void count_latency(int64_t ns) {
    uint64_t value = ns < FINE ? FINE : (uint64_t)ns;
    int power = 63 - __builtin_clzll(value);
    histogram[(power - 6) * FINE + (value >> (power - 6)) - FINE]++;
    counted++;
}

static double quantile_us(double share) {
    uint64_t rank = (uint64_t)(share * (double)counted), seen = 0;
    for (int i = 0; i < BUCKETS; i++)
        if ((seen += histogram[i]) > rank) return (double)((uint64_t)(i % FINE + FINE) << (i / FINE)) / 1000.0;
    return 0;
}
