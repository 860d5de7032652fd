"""Optional modules; each has a manifest."""
