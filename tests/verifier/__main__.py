"""`make verify-plants`: every planted fault, one after another, and the table of what was found of each.

    python -m tests.verifier --record     # writes the table into docs/verifier.md

Ends with 1 when a fault was not found, or when a sound deployment was not called sound.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from services.embedded.deployment import SERVICES
from tests.verifier.faults import PLANTS
from tests.verifier.meddler import Meddler
from tests.verifier.planting import Row, at_the_door, deployed, in_the_store, verified, within
from tests.verifier.rows import PLANTS as ROWS

PAGE = Path(__file__).resolve().parents[2] / "docs" / "verifier.md"
BEGIN, END = "<!-- plants -->\n", "<!-- end of plants -->\n"
SHORT = 160

SERVICE_PLANTS = (
    ("rich collectors", "bots", "digest", ("--quick",)),
    ("generous charity", "cases", "charity", ()),
    ("open hands", "secrecy", "is not for", ("--quick",)),
    ("a forgetful room", "races", "accepted", ("--quick",)),
)
"""Faults within a service: which, the check, a word of the finding, options."""

console = Console()


def main(
    record: Annotated[bool, typer.Option("--record", help="Write the table into docs/verifier.md.")] = False,
    full: Annotated[
        bool, typer.Option("--full", help="The sound deployment is verified in full, not --quick.")
    ] = False,
) -> None:
    """Plant everything."""
    rows: list[Row] = []
    wrong: list[str] = []
    with tempfile.TemporaryDirectory() as folder, deployed() as sietch:
        promises = Path(folder) / "promises.json"
        words = ["--url", sietch.url, "--database-url", sietch.database_url, "--promises", str(promises)]
        status, found = verified("http", *words, *([] if full else ["--quick"]))
        console.print("a sound deployment: " + ("nothing found" if status == 0 else "; ".join(found)))
        wrong += found
        with Meddler(sietch.url) as meddler:
            for plant in PLANTS:
                told(rows, at_the_door(meddler, plant))
        for name in SERVICES:
            for index in range(len(sietch.children[name])):
                sietch.stop(name, index)
        for row_plant in ROWS:
            row, alone = in_the_store(sietch.database_url, promises, row_plant)
            told(rows, row)
            wrong += alone
    for fault, check, word, options in SERVICE_PLANTS:
        told(rows, within(fault, check, word, *options))
    wrong += [f"not found: {row.planted}" for row in rows if not row.found]
    show(rows)
    if record:
        write(rows)
    for text in wrong:
        console.print(f"[red]{text}[/red]", highlight=False)
    console.print(f"{len(rows)} faults planted, {sum(bool(row.found) for row in rows)} found")
    raise typer.Exit(1 if wrong else 0)


def told(rows: list[Row], row: Row) -> None:
    """Keep a row, and say that it is done."""
    rows.append(row)
    print(
        f"{'found' if row.found else 'NOT FOUND':<10} {row.seconds:5.1f} s  {row.where}: {row.planted}",
        file=sys.stderr,
    )


def show(rows: list[Row]) -> None:
    """The table, for people."""
    table = Table("planted", "where", "found by", "as", "seconds")
    for row in rows:
        table.add_row(row.planted, row.where, row.by, short(row.found) or "NOT FOUND", f"{row.seconds:.1f}")
    console.print(table)


def short(text: str) -> str:
    """The beginning of a finding."""
    return text if len(text) <= SHORT else text[:SHORT] + "…"


def write(rows: list[Row]) -> None:
    """The table, in the page between its marks."""
    lines = ["| planted | where | found by | as |", "| --- | --- | --- | --- |"]
    for row in rows:
        cells = (row.planted, row.where, f"`{row.by}`", short(row.found) or "**not found**")
        lines.append("| " + " | ".join(" ".join(cell.split()).replace("|", "\\|") for cell in cells) + " |")
    text = PAGE.read_text()
    head, _, rest = text.partition(BEGIN)
    _, _, tail = rest.partition(END)
    PAGE.write_text(head + BEGIN + "\n".join(lines) + "\n" + END + tail)


if __name__ == "__main__":
    typer.run(main)
