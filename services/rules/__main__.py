"""`python -m services.rules`: one rules worker."""

from services.rules.service import RulesSettings, serve
from shared.ops.service import run

run("rules", RulesSettings, serve)
