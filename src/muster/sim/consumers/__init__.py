"""Members of consumer groups (KIP-848) in the simulator, groups that change between the protocols, and their checkers."""
