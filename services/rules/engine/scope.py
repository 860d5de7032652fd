"""Where a registration holds: in which modes of the game, and with which optional module.

What is registered in the package of a module (`services.rules.modules.<name>`) holds in games with that module alone:
so nobody can forget to say it, and a game without the module never meets it. [GEN-01, NEXUS-02, NEXUS-81]
"""

from __future__ import annotations

from functools import cache

from msgspec import Struct

__all__ = ["EVERY_MODE", "Scope", "scope_of"]

EVERY_MODE = ("basic", "advanced")
_MODULES = "services.rules.modules."


class Scope(Struct, frozen=True):
    """The modes in which something holds, and the optional module that it belongs to; empty: the game itself."""

    modes: tuple[str, ...] = EVERY_MODE
    module: str = ""

    def holds(self, mode: str, modules: tuple[str, ...]) -> bool:
        """Whether it holds in a game of this mode with these modules."""
        return mode in self.modes and (not self.module or self.module in modules)


@cache
def scope_of(place: str, modes: tuple[str, ...] = EVERY_MODE) -> Scope:
    """The scope of what the Python module `place` registers for these modes."""
    inside = place.startswith(_MODULES)
    return Scope(modes, place.removeprefix(_MODULES).partition(".")[0] if inside else "")
