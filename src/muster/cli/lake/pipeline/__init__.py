"""`muster pipeline`: `command.py` lists its steps, each step has a file of its name."""
