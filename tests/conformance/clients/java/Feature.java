/** One thing that the client does and the broker must answer. */
interface Feature {
    void check(Probe probe) throws Exception;
}
