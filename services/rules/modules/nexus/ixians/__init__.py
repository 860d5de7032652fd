"""The Nexus card Ixians, one effect a module."""
