"""`sietch rules index`: rule id to code and cases."""

from __future__ import annotations

import json
import sys
from typing import Annotated

import msgspec
import typer

from services.ruleindex.index import Entry, build, missing, unknown_citations

app = typer.Typer(help="The rules reference.", no_args_is_help=True)


@app.callback()
def group() -> None:
    """The rules reference, and who implements and proves it."""


@app.command()
def index(
    rule: Annotated[str, typer.Argument(help="Show one rule id, or all that begin so.")] = "",
    without: Annotated[
        str, typer.Option("--missing", help="basic, advanced, base or nexus: ids without case or reason.")
    ] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print for programs.")] = False,
) -> None:
    """Print which code and which cases cite each rule. `--missing basic` prints nothing when nothing is missing."""
    found = build()
    if without:
        if without not in ("basic", "advanced", "base", "nexus"):
            raise typer.BadParameter("basic, advanced, base or nexus", param_hint="--missing")
        rows = missing(found, without)
        for entry in rows:
            print(f"{entry.id}  {f'waits for {entry.waits}' if entry.waits else entry.text[:150]}")
        slips = unknown_citations()
        for case, strangers in slips.items():
            print(f"{case} cites {', '.join(sorted(strangers))}, which the reference does not have")
        raise typer.Exit(1 if slips or not all(entry.waits for entry in rows) else 0)
    entries = [
        entry for entry in found.values() if entry.id.startswith(rule) and (rule or entry.code or entry.cases)
    ]
    if as_json:
        print(json.dumps([msgspec.to_builtins(entry) for entry in entries]))
        return
    if rule and not entries:
        print(f"sietch: the reference has no rule that begins with {rule!r}", file=sys.stderr)
        raise typer.Exit(1)
    for entry in entries:
        _show(entry)


def _show(entry: Entry) -> None:
    """One rule: its text, then a line for each place that stands behind it."""
    print(f"{entry.id} ({' and '.join(entry.modes)}): {entry.text}")
    for path in sorted(set(entry.code)):
        print(f"  code  {path}")
    for path in entry.cases:
        print(f"  case  {path}")
    if entry.reason:
        print(f"  no case: {entry.reason}")
    if not (entry.code or entry.cases or entry.reason):
        print("  nobody cites it yet")
