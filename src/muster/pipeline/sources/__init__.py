"""Where the records come from: data directories, live brokers, Spark's own Kafka connector. All give `b_log_record` rows."""
