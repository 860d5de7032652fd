"""`python -m services.projection`: one projection replica."""

import shared.ops.loading  # noqa: F401  # first: the rest loads the faster

# isort: split
from services.projection.service import ProjectionSettings, serve
from shared.ops.service import run

run("projection", ProjectionSettings, serve)
