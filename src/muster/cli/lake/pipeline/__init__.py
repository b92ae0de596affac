"""`muster pipeline`: `command.py` has the flags of the command, each step has a file of its name."""
