"""The engine: flows, offers, windows, moments, hooks and rulings. It knows no faction, no card and no phase."""
