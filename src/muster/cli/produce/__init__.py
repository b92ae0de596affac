"""`muster produce`."""
