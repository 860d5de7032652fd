"""The Nexus card Harkonnen, one effect a module."""
