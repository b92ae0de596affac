"""When and in what order: clock, timer wheel, group commit, shard runners."""
