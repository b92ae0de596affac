"""Consumer groups (KIP-848): members heartbeat, the coordinator computes who shall have what, and leads them there."""
