"""`make demo`: a server, real clients, a group at work, and what the journal says about it."""
