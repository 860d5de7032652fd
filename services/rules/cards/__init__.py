"""One module a card with rules of its own."""
