"""From frames to requests in work: read as a whole, or known by the bytes of the request before (decision 0016)."""
