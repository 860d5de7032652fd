"""`python -m services.bot`: one bot worker."""

import shared.ops.loading  # noqa: F401  # first: the rest loads the faster

# isort: split
from services.bot.worker import BotSettings, serve
from shared.ops.service import run

run("bot", BotSettings, serve)
