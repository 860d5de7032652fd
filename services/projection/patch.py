"""RFC 7386 merge patches between two views: objects key by key, everything else whole."""

from __future__ import annotations

from functools import cache
from typing import Any

import msgspec
from msgspec import Struct

__all__ = ["apply_patch", "changes", "merge_patch"]

_ABSENT: Any = object()


def merge_patch(before: dict[str, Any], after: dict[str, Any]) -> dict[str, Any]:
    """The patch that turns `before` into `after`; ValueError for a null in an object, which no patch can carry.

    The values in it are those of `after`, not copied. What is the same object in both is not looked into: views of
    tables that follow each other share most of their parts.
    """
    patch: dict[str, Any] = {key: None for key in before if key not in after}
    for key, new in after.items():
        old = before.get(key, _ABSENT)
        if old is new:
            continue
        if new is None:
            raise ValueError(f"a view holds null at {key!r}, which a merge patch cannot set")
        if old != new:
            patch[key] = _change(old, new)
    return patch


def changes(before: Struct, after: Struct) -> dict[str, Any]:
    """The same between two structs of one kind, by their fields as they are encoded: defaults may be left out."""
    old: dict[str, Any] = {}
    new: dict[str, Any] = {}
    for name, default, empty in _fields(type(after)):
        was, value = getattr(before, name), getattr(after, name)
        if was is value:
            continue
        if was is not default and (was or type(was) is not empty):
            old[name] = was
        if value is not default and (value or type(value) is not empty):
            new[name] = value
    return merge_patch(old, new)


def _change(old: Any, new: Any) -> Any:
    if isinstance(new, dict) and isinstance(old, dict):
        return merge_patch(old, new)
    if isinstance(new, Struct) and type(old) is type(new):
        return changes(old, new)
    return new


@cache
def _fields(kind: type[Struct]) -> tuple[tuple[str, Any, Any], ...]:
    """Each field's name, its default, and the type that is left out when empty; neither if defaults are encoded."""
    omits = kind.__struct_config__.omit_defaults
    return tuple(
        (field.name, field.default if omits else _ABSENT, field.default_factory if omits else _ABSENT)
        for field in msgspec.structs.fields(kind)
    )


def apply_patch(before: Any, patch: Any) -> Any:
    """The value that a patch makes of another, as RFC 7386 says."""
    if not isinstance(patch, dict):
        return patch
    result = dict(before) if isinstance(before, dict) else {}
    for key, value in patch.items():
        if value is None:
            result.pop(key, None)
        else:
            result[key] = apply_patch(result.get(key), value)
    return result
