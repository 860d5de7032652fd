"""The kinds of zones, by the first word of their name, and who may see what lies in them. The source of all views.

`public`: all see the pieces. `owner`: the faction after the dot sees them. `parties`: all factions after a dot do.
`hidden`: nobody does. But for the first, the number of pieces is public where `counted` says so (`always`, or only in
one phase). What lies in a zone that `veils` another is seen by everybody else as if it still lay in that one, of the
same first faction. A zone of no known kind is seen by nobody.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Literal

from msgspec import Struct

__all__ = ["ZoneKind", "captives_of", "kind_of", "owner_of", "parties_of", "veiled_by", "zone_kinds"]


class ZoneKind(Struct, frozen=True):
    """Who may see the pieces of a zone, when their number is public, the family of pieces that may lie there."""

    visibility: Literal["public", "owner", "hidden", "parties"]
    counted: str = ""
    family: str = "treachery"
    veils: str = ""


_KINDS: dict[str, ZoneKind] = {
    "treachery_deck": ZoneKind("hidden", "always"),
    "treachery_discard": ZoneKind("public"),
    "treachery_removed": ZoneKind("public"),
    "auction_row": ZoneKind("hidden", "always"),
    "auction_card": ZoneKind("hidden", "always"),
    "hand": ZoneKind("owner", "bidding"),
    "plan": ZoneKind("public"),
    "spice_deck": ZoneKind("hidden", "always", family="spice"),
    "spice_discard_a": ZoneKind("public", family="spice"),
    "spice_discard_b": ZoneKind("public", family="spice"),
    "spice_aside": ZoneKind("public", family="spice"),
    "storm_deck": ZoneKind("hidden", "always", family="storm"),
    "storm_next": ZoneKind("hidden", "always", family="storm"),
    "storm_seen": ZoneKind("owner", "always", family="storm"),
    "storm_shown": ZoneKind("public", family="storm"),
    "traitor_deck": ZoneKind("hidden", "always", family="traitor"),
    "traitors": ZoneKind("owner", "always", family="traitor"),
    "traitors_dealt": ZoneKind("owner", "always", family="traitor"),
    "traitors_out": ZoneKind("owner", "always", family="traitor"),
    "leaders": ZoneKind("public", family="leader"),
    "special_leaders": ZoneKind("public", family="leader"),
    "captives": ZoneKind("parties", "always", family="leader", veils="leaders"),
    "captives_shown": ZoneKind("public", family="leader"),
    "tanks_hidden": ZoneKind("parties", "always", family="leader", veils="leaders"),
    "tanks": ZoneKind("public", family="leader"),
    "tanks_down": ZoneKind("owner", "always", family="leader"),
    "nexus": ZoneKind("owner", "always", family="nexus"),
    "nexus_deck": ZoneKind("hidden", family="nexus"),
    "nexus_deck_counted": ZoneKind("hidden", "always", family="nexus"),
    "nexus_discard": ZoneKind("hidden", family="nexus"),
    "nexus_discard_counted": ZoneKind("hidden", "always", family="nexus"),
    "nexus_discard_open": ZoneKind("public", family="nexus"),
}


def zone_kinds() -> dict[str, ZoneKind]:
    """All kinds of zones by the first word of the zone's name."""
    return _KINDS


@lru_cache(maxsize=4096)
def kind_of(name: str) -> ZoneKind:
    """The kind of a zone; one that nobody declared is hidden."""
    return _KINDS.get(name.partition(".")[0], ZoneKind("hidden"))


def owner_of(name: str) -> str:
    """The faction after the dot of a zone's name; empty if it has none."""
    return name.partition(".")[2]


def parties_of(name: str) -> tuple[str, ...]:
    """All factions in a zone's name."""
    return tuple(name.split(".")[1:])


def veiled_by(name: str) -> str:
    """The zone in which the pieces of this one seem to lie to all who cannot see them; empty if there is none."""
    veils = kind_of(name).veils
    return f"{veils}.{parties_of(name)[0]}" if veils else ""


def captives_of(owner: str, captor: str, shown: bool = False) -> str:
    """The zone of a faction's leaders that another one holds captive. [HARK-13, SECRET-09]"""
    return f"{'captives_shown' if shown else 'captives'}.{owner}.{captor}"
