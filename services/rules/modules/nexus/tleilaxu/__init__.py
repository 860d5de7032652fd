"""The Nexus card Tleilaxu, one effect a module."""
