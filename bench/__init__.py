"""Measurements of this checkout on this machine. `python -m bench` runs them all."""
