"""Whole games by bots: in one process without any server, or through a running deployment."""
