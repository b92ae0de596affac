"""The broker around the coordinator: topics, produce, fetch, list offsets."""
