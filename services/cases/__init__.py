"""Conformance cases: one file is one case; the same file runs against the engine and, over HTTP, a deployment."""
