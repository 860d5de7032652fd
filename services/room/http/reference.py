"""`python -m services.room.http.reference [--check]`: write docs/api.md from the OpenAPI document, or compare it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import msgspec

from services.room.http.app import make_app
from services.room.http.described import ERRORS, document
from shared.ops.health import Health

INTRO = Path(__file__).with_name("reference_intro.md")
TARGET = Path(__file__).resolve().parents[3] / "docs" / "api.md"

# OpenAPI documents are free-form JSON.
Json = dict[str, Any]


def reference() -> str:
    """The whole page."""
    schema = document(make_app(Health()))
    errors = [f"| `{status}` | {text} |" for status, text in ERRORS.items()]
    table = "\n".join(["| status | meaning |", "| --- | --- |", *errors])
    parts = [INTRO.read_text().rstrip(), table, "---", "## Requests"]
    for path, operations in schema["paths"].items():
        for method, operation in operations.items():
            parts += _operation(method, path, operation)
    parts.append("## Bodies and replies")
    for name, struct in sorted(schema["components"]["schemas"].items()):
        parts += _struct(name, struct)
    return "\n\n".join(parts) + "\n"


def _operation(method: str, path: str, operation: Json) -> list[str]:
    lines: list[str] = [
        f"### `{method.upper()} {path}`",
        str(operation.get("description", operation["summary"])),
    ]
    facts: list[str] = []
    if security := operation.get("security"):
        facts.append("- token: " + ("optional" if {} in security else "needed"))
    refusals: list[str] = []
    for parameter in operation.get("parameters", ()):
        if parameter["in"] == "query":
            facts.append(f"- query `{parameter['name']}`: {_type(parameter['schema'])}")
    if body := operation.get("requestBody"):
        facts.append(f"- body: {_type(body['content']['application/json']['schema'])}")
    for status, response in sorted(operation["responses"].items()):
        content = list(response.get("content", {}).values())
        if status < "300":
            shape = _type(content[0]["schema"]) if content and content[0].get("schema") else "see above"
            facts.append(f"- `{status}`: {shape}")
        else:
            refusals.append(f"`{status}`")
    return [*lines, "\n".join([*facts, f"- errors: {', '.join(refusals)}"])]


def _struct(name: str, struct: Json) -> list[str]:
    needed = struct.get("required", ())
    rows = ["| field | type | |", "| --- | --- | --- |"]
    for field, kind in struct.get("properties", {}).items():
        if field in needed:
            note = "required"
        else:
            note = f"default `{_plain(kind['default'])}`" if "default" in kind else "optional"
        rows.append(f"| `{field}` | {_type(kind)} | {note} |")
    about = struct.get("description", "").strip()
    return [f"### {name}", about, *(["\n".join(rows)] if len(rows) > 2 else [])]


def _type(kind: Json) -> str:
    if "$ref" in kind:
        name = kind["$ref"].rpartition("/")[2]
        return f"[{name}](#{name.lower()})"
    if "anyOf" in kind:
        return " or ".join(_type(one) for one in kind["anyOf"])
    if "enum" in kind:
        return " or ".join(f"`{value}`" for value in kind["enum"])
    if kind.get("type") == "array":
        return f"list of {_type(kind['items'])}"
    if kind.get("type") == "object" and isinstance(kind.get("additionalProperties"), dict):
        return f"object of {_type(kind['additionalProperties'])}"
    limits = [
        f"{word} {kind[key]}"
        for key, word in (
            ("minimum", "from"),
            ("maximum", "to"),
            ("minLength", "at least"),
            ("maxLength", "at most"),
            ("format", "as"),
        )
        if key in kind
    ]
    words = str(kind.get("type", "any JSON"))
    return f"{words} ({', '.join(limits)})" if limits else words


def _plain(value: object) -> str:
    return msgspec.json.encode(value).decode()


def main() -> int:
    """Write the page, or with `--check` say whether it is what would be written (0 yes, 1 no)."""
    page = reference()
    if "--check" in sys.argv[1:]:
        if TARGET.exists() and TARGET.read_text() == page:
            return 0
        print(f"{TARGET} is not true any more: run python -m services.room.http.reference", file=sys.stderr)
        return 1
    TARGET.write_text(page)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
