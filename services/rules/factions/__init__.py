"""One module a faction: what its player sheet says, as hooks, guests of moments and reactions."""
