"""RFC 7386 merge patches between two views: objects key by key, everything else whole."""

from __future__ import annotations

from typing import Any

__all__ = ["apply_patch", "merge_patch"]


def merge_patch(before: dict[str, Any], after: dict[str, Any]) -> dict[str, Any]:
    """The patch that turns `before` into `after`; ValueError for a null in an object, which no patch can carry."""
    patch: dict[str, Any] = {key: None for key in before if key not in after}
    for key, new in after.items():
        if new is None:
            if before.get(key, 0) is not None:
                raise ValueError(f"a view holds null at {key!r}, which a merge patch cannot set")
            continue
        old = before.get(key)
        if key in before and old == new:
            continue
        both = isinstance(old, dict) and isinstance(new, dict)
        patch[key] = merge_patch(old, new) if both else new  # type: ignore[arg-type]
    return patch


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
