"""One plot a file: facts in, one figure out. A plot that has nothing to show says so in a sentence."""
