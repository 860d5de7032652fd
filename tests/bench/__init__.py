"""Figures against the floor: `python -m tests.bench` (`make bench`). docs/benchmarks.md says how to read them."""
