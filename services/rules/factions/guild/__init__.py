"""Guild, as its player sheet says, one module an area of the game."""

NAME = "guild"
