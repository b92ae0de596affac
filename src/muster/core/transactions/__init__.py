"""Transactions: the coordinator's states and the records that keep them."""
