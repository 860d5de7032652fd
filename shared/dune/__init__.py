"""The language of the game: facts, table, pieces and zones, events, offers and views. Imports nothing of ours."""
