"""What several commands share: flags, tables, time spans, the way to a cluster. No command of its own."""
