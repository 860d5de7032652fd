"""A stand-in for the trace viewer where it cannot be pulled."""
