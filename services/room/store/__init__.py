"""The event store: the only code that appends to it, and the cold tables of rooms, seats and tokens."""
