"""`sietch verify http` and `sietch verify store`: a deployment judged by its addresses alone."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Annotated, Any, NoReturn

import msgspec
import psycopg
import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from services.cli.database import database
from services.cli.image import said_by_this_image
from services.ruleindex.index import ROOT
from services.verifier.findings import Report, exit_status
from services.verifier.plan import Plan
from services.verifier.promises import Promised, Promises
from services.verifier.report import markdown, summary
from services.verifier.running import DeadError
from services.verifier.running import verify as run_checks
from services.verifier.store.census import Census, Fault
from services.verifier.store.judge import judge_store
from services.verifier.telling import teller
from shared.ops.settings import stated

app = typer.Typer(help="Verify a deployment and what it stored.", no_args_is_help=True)

CASES = (ROOT / "tests" / "cases", Path("/usr/share/sietch/cases"))
"""Where the conformance cases lie: in a clone, and in the image."""


@app.callback()
def verify() -> None:
    """Verify a deployment that is known only by its addresses."""


Names = list[str] | None
Url = Annotated[str, typer.Option(envvar="SIETCH_URL", help="The deployment's address.")]
Store = Annotated[
    str, typer.Option(help="Its database (default: SIETCH_DATABASE_URL): the true history, and the store.")
]
Quick = Annotated[bool, typer.Option("--quick", help="Some of everything, in less than a minute.")]
Only = Annotated[Names, typer.Option(help="Only these checks, with commas between.")]
Skip = Annotated[Names, typer.Option(help="Not these checks, with commas between.")]
Seed = Annotated[int, typer.Option(help="The same seed plays and asks the same.")]
Cases = Annotated[Path | None, typer.Option(envvar="SIETCH_CASES", help="The folder of conformance cases.")]
Plain = Annotated[
    bool, typer.Option("--without-scenarios", help="The deployment stages no tables; the report says so.")
]
Command = Annotated[str, typer.Option(help="To restart a service, e.g. 'docker compose restart {service}'.")]
Services = Annotated[str, typer.Option(help="What to restart, with commas between.")]
Kept = Annotated[Path | None, typer.Option(help="Write what was promised, for `verify store --promises`.")]
Files = Annotated[list[Path] | None, typer.Option(help="Write the report: FILE.json, FILE.md.")]
Json = Annotated[bool, typer.Option("--json", help="Print the report for programs, nothing else.")]
Seconds = Annotated[float, typer.Option(min=1, help="Seconds that all of it may take.")]


@app.command()
def http(
    url: Url,
    database_url: Store = "",
    quick: Quick = False,
    only: Only = None,
    skip: Skip = None,
    seed: Seed = 1,
    cases: Cases = None,
    without_scenarios: Plain = False,
    restart_command: Command = "",
    services: Services = "",
    promises: Kept = None,
    report: Files = None,
    as_json: Json = False,
    timeout: Seconds = 900.0,
) -> None:
    """Judge a deployment over HTTP. Exit status 0: all held; 1: something was found; 2: something could not run."""
    _check_restarts(restart_command, services)
    _check_reports(report)
    plan = Plan(
        url=url.rstrip("/"),
        cases=cases or next((path for path in CASES if path.is_dir()), CASES[-1]),
        image=said_by_this_image(),
        database_url=database_url or stated("SIETCH_DATABASE_URL"),
        quick=quick,
        seed=seed,
        only=_split(only),
        skip=_split(skip),
        scenarios=not without_scenarios,
        restart=restart_command,
        services=_split([services]),
        seconds=timeout,
    )
    made = _run(plan, as_json)
    if promises is not None:
        plan.promises.write(promises)
    _told(made, report or (), as_json)
    raise typer.Exit(exit_status(made))


def _run(plan: Plan, as_json: bool) -> Report:
    try:
        with teller(as_json) as telling:
            return run_checks(plan, telling)
    except (DeadError, ValueError) as wrong:
        _wrong(str(wrong))


def _told(report: Report, files: list[Path] | tuple[()], as_json: bool) -> None:
    """Print the report and write it where it is wanted."""
    encoded = msgspec.json.encode(report)
    for path in files:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(
            msgspec.json.format(encoded) + b"\n" if path.suffix == ".json" else markdown(report).encode()
        )
    print(encoded.decode() if as_json else summary(report))


def _split(words: Names) -> tuple[str, ...]:
    """Names that were given one by one, or with commas between."""
    return tuple(name.strip() for word in words or () for name in word.split(",") if name.strip())


def _check_restarts(command: str, services: str) -> None:
    if command and "{service}" not in command:
        _wrong("--restart-command has no {service} in it")
    if bool(command) != bool(services):
        _wrong("--restart-command and --services belong together")


def _check_reports(paths: list[Path] | None) -> None:
    for path in paths or ():
        if path.suffix not in (".json", ".md"):
            _wrong(f"--report {path}: a report is a .json or a .md file")


def _wrong(text: str) -> NoReturn:
    print(f"sietch: {text}", file=sys.stderr)
    raise typer.Exit(2)


@app.command()
def store(
    database_url: Annotated[
        str, typer.Option(help="The database (default: SIETCH_DATABASE_URL, else that of .sietch/).")
    ] = "",
    promises: Annotated[
        Path | None, typer.Option(help="What `verify http --promises` wrote: it must be in the store.")
    ] = None,
    details: Annotated[
        bool, typer.Option("--details", help="Name the pieces concerned: they may be secrets of players.")
    ] = False,
    report: Annotated[list[Path] | None, typer.Option(help="Write the findings: FILE.json, FILE.md.")] = None,
    may_be_empty: Annotated[
        bool, typer.Option("--may-be-empty", help="A store without a room is nothing wrong either.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the findings for programs.")] = False,
) -> None:
    """Verify every room. Exit status 0: nothing is wrong; 1: something is; 2: the store cannot be read, or is empty."""
    began = time.monotonic()
    _check_reports(report)
    promised = _promised(promises)
    census = _judged(database_url, promised, details, quiet=as_json or not sys.stderr.isatty())
    seconds = time.monotonic() - began
    for path in report or ():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(_census(census, seconds, path.suffix == ".json") + "\n")
    print(_census(census, seconds, as_json))
    if census.faults:
        raise typer.Exit(1)
    if not census.rooms and not may_be_empty:
        _wrong(
            "the store holds no room, so there was nothing to look at (--may-be-empty where that is as it should be)"
        )


def _judged(database_url: str, promised: list[Promised], details: bool, quiet: bool) -> Census:
    """The store's census, with a bar that shows how far it is unless `quiet`."""
    console = Console(stderr=True, quiet=quiet)
    columns = (TextColumn("rooms"), BarColumn(), MofNCompleteColumn())
    try:
        with database(database_url) as url, Progress(*columns, console=console, transient=True) as bar:
            task = bar.add_task("rooms", total=None)
            return judge_store(
                url, promised, lambda done, total: bar.update(task, completed=done, total=total), details
            )
    except psycopg.Error as error:
        reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        _wrong(f"the store cannot be read: {reason}")


def _promised(path: Path | None) -> list[Promised]:
    if path is None:
        return []
    try:
        return Promises.read(path)
    except (OSError, msgspec.DecodeError) as wrong:
        _wrong(f"--promises {path} cannot be read: {wrong}")


def _census(census: Census, seconds: float, as_json: bool) -> str:
    if as_json:
        found: dict[str, Any] = {
            "rooms": census.rooms,
            "commits": census.commits,
            "events": census.events,
            "seconds": round(seconds, 3),
            "faults": [{"room": f.room, "version": f.version, "text": f.text} for f in census.faults],
        }
        return msgspec.json.encode(found).decode()
    counted = f"{census.rooms} rooms, {census.commits} commits, {census.events} events in {seconds:.1f} s"
    if not census.faults:
        return f"{counted}: {'nothing is wrong' if census.rooms else 'there was nothing to look at'}"
    return "\n".join([*(_line(fault) for fault in census.faults), f"{counted}: {len(census.faults)} faults"])


def _line(fault: Fault) -> str:
    where = f"room {fault.room}" if fault.room else "the store"
    at = f", version {fault.version}" if fault.version else ""
    return f"{where}{at}: {fault.text}"
