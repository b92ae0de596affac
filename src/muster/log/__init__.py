"""Durability: is it on disk? Segments, recovery, stores."""
