"""`python -m services.projection`: one projection replica."""

from services.projection.service import ProjectionSettings, serve
from shared.ops.service import run

run("projection", ProjectionSettings, serve)
