"""May they? Authorization."""
