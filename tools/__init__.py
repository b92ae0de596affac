"""Programs for people who change Muster. Nothing here is installed, and `muster` imports nothing of it."""
