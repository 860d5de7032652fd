"""The Nexus card Ecaz, one effect a module."""
