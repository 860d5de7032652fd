"""What the Guild lends its ally by standing permission. [GUILD-21]"""

from __future__ import annotations

from services.rules.factions.guild import NAME
from services.rules.phases.permissions import lend

HALF_RATE = lend(NAME, "half_rate", "Shipping, and shipping across Dune, at half price", "GUILD-21")
