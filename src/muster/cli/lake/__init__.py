"""Commands about a lake: `pipeline/` makes and keeps it; `muster lag`, `muster status` and the others ask it one question each."""
