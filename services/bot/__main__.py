"""`python -m services.bot`: one bot worker."""

from services.bot.worker import BotSettings, serve
from shared.ops.service import run

run("bot", BotSettings, serve)
