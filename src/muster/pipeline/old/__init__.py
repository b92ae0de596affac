"""The form before Structured Streaming, kept as the oracle until every table of the new one is equal to it; then it goes."""
