"""Planted faults, and that the verifier finds each of them."""
