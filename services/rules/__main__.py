"""`python -m services.rules`: one rules worker."""

import shared.ops.loading  # noqa: F401  # first: the rest loads the faster

# isort: split
from services.rules.service import RulesSettings, serve
from shared.ops.service import run

run("rules", RulesSettings, serve)
