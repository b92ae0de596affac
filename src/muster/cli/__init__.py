"""The `muster` command, one command a file."""
