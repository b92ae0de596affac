"""Can it break? A deterministic simulator: the whole server with a virtual clock, network and disk, model clients and faults, all
drawn from one seed; and checkers that say what must never happen. `muster sim --seed N`."""
