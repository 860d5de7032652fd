"""The Nexus card CHOAM, one effect a module."""
