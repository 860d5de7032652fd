"""The HTTP front door: routes, authentication, limits, security headers and the streams."""
