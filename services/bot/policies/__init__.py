"""Policies: what a bot answers, from its seat's view and one offer. Every policy answers every kind legally."""

from __future__ import annotations

from services.bot.policies.base import Policy
from services.bot.policies.easy import EasyPolicy
from services.bot.policies.random_legal import RandomPolicy

__all__ = ["Policy", "policies", "policy"]

_POLICIES: dict[str, type[Policy]] = {"easy": EasyPolicy, "random": RandomPolicy}


def policies() -> tuple[str, ...]:
    """The names of all policies."""
    return tuple(_POLICIES)


def policy(name: str) -> Policy:
    """The policy of a name; one that is not known plays as `easy`, so that a seat never stands still."""
    return _POLICIES.get(name, EasyPolicy)()
