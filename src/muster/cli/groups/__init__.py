"""`muster groups`: `command.py` has the flags of the command, each action has a file of its name."""
