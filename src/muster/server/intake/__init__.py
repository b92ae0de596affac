"""What a client sent, one request after the other: read, or known again and served the short way (decision 0016)."""
