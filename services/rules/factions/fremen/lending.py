"""What Fremen lend their ally by standing permission. [FRE-32]"""

from __future__ import annotations

from services.rules.factions.fremen import NAME
from services.rules.phases.permissions import lend

FREE_REVIVAL = lend(__name__, NAME, "free_revival", "Three free force revivals a turn", "FRE-32")
