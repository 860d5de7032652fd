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

from services.cli.verify import CASES
from services.embedded import Deployment
from services.embedded.deployment import SERVICES
from tests.verifier.faults import PLANTS
from tests.verifier.meddler import Meddler
from tests.verifier.planting import Row, at_the_door, deployed, in_the_store, verified, within
from tests.verifier.rows import PLANTS as ROWS

PAGE = Path(__file__).resolve().parents[2] / "docs" / "verifier.md"
BEGIN, END = "<!-- plants -->\n", "<!-- end of plants -->\n"
SHORT = 160

SERVICE_PLANTS = (
    ("short auctions", "bots", "digest", ("--quick",)),
    ("generous charity", "cases", "charity", ("--cases", str(CASES[0] / "charity"))),
    ("open hands", "secrecy", "is not for", ("--quick",)),
    ("a forgetful room", "games", "accepted answers", ("--quick",)),
)
"""Faults within a service: which, the check, a word of the finding, options."""

console = Console()


PARTS = ("store", "door", "services")

Record = Annotated[bool, typer.Option("--record", help="Write the table into docs/verifier.md.")]
Full = Annotated[bool, typer.Option("--full", help="Verify the sound deployment in full.")]
Part = Annotated[
    str, typer.Option(help="Only this part, store, door or services; other rows stay as they are.")
]


def main(record: Record = False, full: Full = False, part: Part = "") -> None:
    """Plant everything."""
    if part not in ("", *PARTS):
        raise typer.BadParameter(f"there is no part {part!r}; there are {', '.join(PARTS)}")
    rows: list[Row] = []
    wrong: list[str] = []
    if part != "services":
        with deployed() as sietch:
            if part != "store":
                with Meddler(sietch.url) as meddler:
                    for plant in PLANTS:
                        told(rows, at_the_door(meddler, plant))
            if part != "door":
                wrong += in_rows(sietch, rows, full)
    if part in ("", "services"):
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


def in_rows(sietch: Deployment, rows: list[Row], full: bool) -> list[str]:
    """Verify the sound deployment, then plant in copies of its store; what was wrong where nothing was planted."""
    with tempfile.TemporaryDirectory() as folder:
        promises = Path(folder) / "promises.json"
        words = ["--url", sietch.url, "--database-url", sietch.database_url, "--promises", str(promises)]
        status, wrong = verified("http", *words, *([] if full else ["--quick"]))
        console.print("a sound deployment: " + ("nothing found" if status == 0 else "; ".join(wrong)))
        for name in SERVICES:
            for index in range(len(sietch.children[name])):
                sietch.stop(name, index)
        for plant in ROWS:
            row, alone = in_the_store(sietch.database_url, promises, plant)
            told(rows, row)
            wrong += alone
    return wrong


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
    """The table, in the page between its marks; rows of parts that were not run stay."""
    lines = ["| planted | where | found by | as |", "| --- | --- | --- | --- |"]
    text = PAGE.read_text()
    head, _, rest = text.partition(BEGIN)
    kept, _, tail = rest.partition(END)
    mine = {row.where for row in rows}
    old = [line for line in kept.splitlines()[2:] if line.split(" | ")[1] not in mine]
    for row in rows:
        cells = (row.planted, row.where, f"`{row.by}`", short(row.found) or "**not found**")
        old.append("| " + " | ".join(" ".join(cell.split()).replace("|", "\\|") for cell in cells) + " |")
    order = ("at the door", "in the store")
    old.sort(
        key=lambda line: next((n for n, where in enumerate(order) if f"| {where} |" in line), len(order))
    )
    PAGE.write_text(head + BEGIN + "\n".join([*lines, *old]) + "\n" + END + tail)


if __name__ == "__main__":
    typer.run(main)
