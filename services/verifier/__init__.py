"""The verifier: judges a deployment that it knows only by its addresses, over HTTP and in its store."""
