"""Pictures of the dashboards with data of a running load: `python -m tests.bench.dashboards --rooms 12 --minutes 3`.

A deployment of its own with two replicas of each service, tables of people and of bots, one whose clocks run out,
and now and then somebody who asks for what they may not; Prometheus (Debian's package) scrapes all of it, and the
stand-in for Grafana draws it. Ends with 1 when a panel shows nothing that should show something.
"""

from __future__ import annotations

import asyncio
import shutil
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import msgspec
import typer
import yaml
from playwright.sync_api import sync_playwright
from rich.console import Console

from deploy.grafana.make import DASHBOARDS
from deploy.grafana.standin.__main__ import server
from services.embedded import Deployment
from tests.bench.client import request_bytes
from tests.bench.deployed import deployed
from tests.bench.load import begin
from tests.bench.players import Counts, Party
from tests.bench.wire import Caller
from tests.property.players import CLASSIC

console = Console()

SCRAPE = 5
WIDTH = 1360
TURNS = 3
"""After so many turns at most a table of people begins anew, so that games end while it is looked at."""
RULES = Path("deploy/prometheus/alerts.yml").resolve()
CHROMIUM = ("chromium", "chromium-browser", "google-chrome")
QUIET = {
    "Not done",
    "Connections to NATS made again",
    "Rate limits",
    "Views sent whole again",
    "Wait for one, p95",
    "Found by the sweep",
}
"""Panels that are empty while all is well, or in so short a run."""


def main(
    rooms: int = typer.Option(12, help="tables of people"),
    bots: int = typer.Option(3, help="tables of bots"),
    minutes: float = typer.Option(3.0, help="how long"),
    think: float = typer.Option(0.5, help="seconds that a table waits between two answers, on average"),
    to: Path = typer.Option(Path("docs/images"), help="where the pictures go"),
) -> None:
    """Load, scrape, draw."""
    if shutil.which("prometheus") is None:
        console.print("this needs Prometheus: install the package 'prometheus'")
        raise typer.Exit(1)
    to.mkdir(parents=True, exist_ok=True)
    with deployed(replicas=2) as sietch, prometheus_beside(sietch) as url:
        look = partial(pictures, url, to, minutes)
        empty = asyncio.run(played(sietch, rooms, bots, minutes * 60, think, look))
    for panel in empty:
        console.print(f"nothing is shown by {panel}")
    raise typer.Exit(1 if empty else 0)


@contextmanager
def prometheus_beside(sietch: Deployment) -> Iterator[str]:
    """Prometheus with our rules, scraping every process; yields its address."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    jobs = [
        {
            "job_name": service,
            "static_configs": [{"targets": [u.removeprefix("http://") for u in sietch.ops_urls(service)]}],
        }
        for service in sietch.children
    ]
    seconds = f"{SCRAPE}s"
    config = {
        "global": {"scrape_interval": seconds, "evaluation_interval": seconds},
        "rule_files": [str(RULES)],
        "scrape_configs": jobs,
    }
    with tempfile.TemporaryDirectory(prefix="sietch-prometheus-") as folder:
        (Path(folder) / "prometheus.yml").write_text(yaml.safe_dump(config))
        options = [f"--config.file={folder}/prometheus.yml", f"--storage.tsdb.path={folder}/data"]
        address = f"127.0.0.1:{port}"
        with subprocess.Popen(
            ["prometheus", *options, f"--web.listen-address={address}", "--log.level=error"]
        ) as running:
            try:
                yield f"http://{address}"
            finally:
                running.terminate()


# ---------------------------------------------------------------------- the load


async def played(
    sietch: Deployment, rooms: int, bots: int, seconds: float, think: float, look: Callable[[], list[str]]
) -> list[str]:
    """Every kind of table for so long; what a look says that is taken then, while everything goes on."""
    counts, ending = Counts(), asyncio.Event()
    parties = [Party(sietch.url, number, counts, think, TURNS) for number in range(rooms)]
    others = [asyncio.create_task(bots_play(sietch.url, ending)) for _ in range(bots)]
    others += [asyncio.create_task(one(sietch.url, ending)) for one in (clocks_run_out, refused)]
    await begin(parties)
    players = [asyncio.create_task(party.play(ending)) for party in parties]
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        await asyncio.sleep(10)
        console.print(f"{until - time.monotonic():.0f} s left, {counts.accepted} answers accepted")
    found = await asyncio.to_thread(look)
    ending.set()
    await asyncio.gather(*players, *others)
    for party in parties:
        party.leave()
    return found


async def made(
    url: str, settings: dict[str, Any], bots: tuple[str, ...], people: tuple[str, ...] = ()
) -> tuple[str, str]:
    """A room that has begun; its path, and the token of the first of the people."""
    tokens = [""]
    caller = Caller(url)
    room = await caller.call("POST", "/api/rooms", {"name": "load", "settings": settings})
    path = f"/api/rooms/{room['code']}"
    for seat in people:
        joined = await caller.call("POST", f"{path}/seats", {"name": seat, "faction": seat})
        tokens.append(joined["token"])
    for seat in bots:
        await caller.call("POST", f"{path}/bots", {"policy": "easy", "faction": seat}, room["host_token"])
    await caller.call("POST", f"{path}/start", {"force": True}, room["host_token"])
    caller.close()
    return path, tokens[min(1, len(people))]


async def bots_play(url: str, ending: asyncio.Event) -> None:
    """Short games of bots alone, one after another."""
    caller = Caller(url)
    while not ending.is_set():
        path, _ = await made(url, {"seats": 6, "last_turn": 2}, tuple(CLASSIC))
        while not ending.is_set() and (await caller.call("GET", path))["state"] != "finished":
            await asyncio.sleep(1)
    caller.close()


async def clocks_run_out(url: str, ending: asyncio.Event) -> None:
    """Two people who never answer what they are asked, and clocks that do it for them; one answers something else."""
    seconds = dict.fromkeys(("turn", "dial", "nexus", "window"), 1)
    settings = {"seats": 2, "clock": {"seconds": seconds}}
    caller = Caller(url)
    while not ending.is_set():
        path, token = await made(url, settings, (), ("atreides", "harkonnen"))
        while not ending.is_set() and (await caller.call("GET", path))["state"] != "finished":
            for offer in ("atreides-999", "atreides.bribe.1"):
                body = msgspec.json.encode({"command_id": uuid4(), "offer": offer, "answer": {}})
                await caller.send(request_bytes("POST", f"{path}/actions", body, token))
            await asyncio.sleep(1)
    caller.close()


async def refused(url: str, ending: asyncio.Event) -> None:
    """Somebody who asks for rooms and things that are not there, or not theirs."""
    async with httpx.AsyncClient(base_url=url) as client:
        room = (await client.post("/api/rooms", json={})).json()["code"]
        while not ending.is_set():
            await client.get("/api/rooms/ZZZZZZ")
            await client.get(f"/api/rooms/{room}/view")
            await client.post(f"/api/rooms/{room}/start", json={})
            await client.post("/api/rooms", content=b"{")
            with suppress(TimeoutError):
                await asyncio.wait_for(ending.wait(), 1.0)


# ---------------------------------------------------------------------- the pictures


def smaller(path: Path) -> None:
    """A picture of few colours, if pngquant is there."""
    if shutil.which("pngquant"):
        subprocess.run(["pngquant", "--force", "--output", str(path), "64", str(path)], check=True)


def pictures(prometheus: str, to: Path, minutes: float) -> list[str]:
    """Draw every dashboard into `to`; the panels that show nothing though they should."""
    standin = server(prometheus)
    threading.Thread(target=standin.serve_forever, daemon=True).start()
    empty: list[str] = []
    path = next(found for name in CHROMIUM if (found := shutil.which(name)))
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        page = chromium.new_page()
        for name in DASHBOARDS:
            page.set_viewport_size({"width": WIDTH, "height": 900})
            page.goto(f"http://127.0.0.1:{standin.server_port}/{name}?minutes={minutes:g}&scrape={SCRAPE}")
            page.wait_for_selector("body[data-ready]")
            height = page.evaluate("document.documentElement.scrollHeight")
            page.set_viewport_size({"width": WIDTH, "height": height})
            page.screenshot(path=to / f"dashboard-{name}.png")
            smaller(to / f"dashboard-{name}.png")
            blank = page.eval_on_selector_all(
                "section:has(.none, .error)", "found => found.map(one => one.querySelector('h2').textContent)"
            )
            empty += [f"{name}: {title}" for title in blank if title not in QUIET]
        chromium.close()
    standin.shutdown()
    standin.server_close()
    return empty


if __name__ == "__main__":
    typer.run(main)
