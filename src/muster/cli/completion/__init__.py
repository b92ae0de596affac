"""`muster completion`: scripts for shells, and the names that they complete."""
