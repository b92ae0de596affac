"""Transactional producers and readers of committed records in the simulated world, and what must be true of what they saw."""
