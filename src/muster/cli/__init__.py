"""The `muster` command. `muster COMMAND` is `COMMAND.py`, or a folder of that name: there `command.py`, and a file an action.

`main` finds them by the table `COMMANDS`. Commands about a lake are in `lake`, what several commands share is in `support`.
"""
