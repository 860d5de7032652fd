"""The Nexus card Emperor, one effect a module."""
