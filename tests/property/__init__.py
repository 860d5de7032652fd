"""The laws of the engine over random games."""
