"""The Nexus card Moritani, one effect a module."""
