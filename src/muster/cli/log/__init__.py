"""`muster log`: dump and repair."""
