"""`muster spark`: `command.py` lists its actions, each action has a file of its name."""
