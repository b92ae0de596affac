"""Moving everything that a store holds into another one: `muster store copy`. No server runs meanwhile."""
