"""`sietch rules index`: rule id to code and cases."""

from __future__ import annotations

import json
from typing import Annotated

import msgspec
import typer
from rich.console import Console
from rich.table import Table

from services.ruleindex.index import build, missing, unknown_citations

app = typer.Typer(help="The rules reference.", no_args_is_help=True)


@app.callback()
def group() -> None:
    """The rules reference, and who implements and proves it."""


@app.command()
def index(
    rule: Annotated[str, typer.Argument(help="Show one rule id, or all that begin so.")] = "",
    without: Annotated[
        str, typer.Option("--missing", help="basic, advanced or base: ids without case or reason.")
    ] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print for programs.")] = False,
) -> None:
    """Print which code and which cases cite each rule. `--missing basic` prints nothing when nothing is missing."""
    found = build()
    if without:
        if without not in ("basic", "advanced", "base"):
            raise typer.BadParameter("basic, advanced or base", param_hint="--missing")
        rows = missing(found, without)
        for entry in rows:
            print(f"{entry.id}  {entry.text[:150]}")
        slips = unknown_citations()
        for case, strangers in slips.items():
            print(f"{case} cites {', '.join(sorted(strangers))}, which the reference does not have")
        raise typer.Exit(1 if rows or slips else 0)
    entries = [
        entry for entry in found.values() if entry.id.startswith(rule) and (rule or entry.code or entry.cases)
    ]
    if as_json:
        print(json.dumps([msgspec.to_builtins(entry) for entry in entries]))
        return
    table = Table("rule", "modes", "code", "cases")
    for entry in entries:
        cases = ", ".join(entry.cases) or (f"none: {entry.reason}" if entry.reason else "")
        table.add_row(entry.id, " ".join(entry.modes), "\n".join(sorted(set(entry.code))), cases)
    Console().print(table)
