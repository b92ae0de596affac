"""`muster cluster`: status, drain, rebalance."""
