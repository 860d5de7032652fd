"""Hand-written Alembic migrations of the store."""
