"""The Nexus card Fremen, one effect a module."""
