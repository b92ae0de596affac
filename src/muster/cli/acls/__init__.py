"""`muster acls`: list, add, remove."""
