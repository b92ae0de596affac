"""`muster consume`."""
