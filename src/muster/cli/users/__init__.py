"""`muster users`: add, remove, list."""
