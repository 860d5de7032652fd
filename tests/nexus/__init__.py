"""Whole games that come to a Nexus card by the real producers: found by seed in process, played again over HTTP."""
