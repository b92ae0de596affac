"""Who owns which partition at which epoch: nodes, leases, the plan of who leads what."""
