"""A whole game through a running deployment: a room of bots, watched as a spectator until it is over."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from typing import Any

import httpx

from services.arena.report import Report, digest_of

__all__ = ["RemoteError", "play_remote"]


class RemoteError(RuntimeError):
    """The deployment refused something or cannot be reached; the text says what and what to do."""


def play_remote(
    url: str,
    seats: tuple[str, ...],
    seed: int,
    mode: str,
    last_turn: int,
    policy: str,
    progress: Callable[[dict[str, Any]], None],
    patience: float = 120.0,
) -> Report:
    """Make a room, fill it with bots, start it with the seed, wait for its end and read its history.

    RemoteError also when for `patience` seconds nothing changes, or nobody answers once the game has begun.
    """
    started = time.perf_counter()
    try:
        with httpx.Client(base_url=url, timeout=15.0) as client:
            code = _start(client, seats, seed, mode, last_turn, policy)
            for told in _progress(client, code, patience):
                progress(told)
            return _report(client, code, seats, seed, started, patience)
    except httpx.HTTPError as wrong:
        raise RemoteError(
            f"{url} cannot be reached ({wrong!r}); is `sietch up` running, and is this its address?"
        ) from wrong


def _start(
    client: httpx.Client, seats: tuple[str, ...], seed: int, mode: str, last_turn: int, policy: str
) -> str:
    settings = {"mode": mode, "seats": len(seats), "last_turn": last_turn}
    made = _ask(
        client,
        "POST",
        "/api/rooms",
        {"name": f"Bots, seed {seed}, {time.strftime('%H:%M')}", "settings": settings},
    )
    code, host = made["code"], {"Authorization": f"Bearer {made['host_token']}"}
    for faction in seats:
        _ask(client, "POST", f"/api/rooms/{code}/bots", {"policy": policy, "faction": faction}, host)
    _ask(client, "POST", f"/api/rooms/{code}/start", {"force": True, "seed": seed}, host)
    return str(code)


def _ask(
    client: httpx.Client,
    method: str,
    path: str,
    body: dict[str, Any] | None = None,
    headers: dict[str, str] | None = None,
) -> Any:
    return _right(client.request(method, path, json=body, headers=headers))


def _right(reply: httpx.Response) -> Any:
    if reply.status_code >= 400:
        told = f"{reply.request.method} {reply.request.url.raw_path.decode()}"
        raise RemoteError(f"{told}: {reply.status_code} {reply.text}")
    return reply.json() if reply.content else None


def _progress(client: httpx.Client, code: str, patience: float) -> Iterator[dict[str, Any]]:
    """Turn and phase as they change, from the spectator's view, until the game has a result."""
    shown: tuple[Any, ...] = ()
    seq, moved = -1, time.monotonic()
    while True:
        reply = _get(client, f"/api/rooms/{code}/view", patience)
        if reply.status_code == 200:
            view = reply.json()["view"]
            if reply.json()["seq"] != seq:
                seq, moved = reply.json()["seq"], time.monotonic()
            if shown != (view["turn"], view["phase"]):
                shown = (view["turn"], view["phase"])
                yield view
            if view.get("result"):
                return
        if time.monotonic() - moved > patience:
            raise RemoteError(
                f"room {code}: nothing has changed for {patience:g} s, and the game is not over"
            )
        time.sleep(0.25)


def _get(client: httpx.Client, path: str, patience: float) -> httpx.Response:
    """A read, again while nobody answers: whoever watches a game sees it through a restart."""
    until = time.monotonic() + patience
    while True:
        try:
            reply = client.get(path)
            if reply.status_code not in (429, 502, 503, 504):
                return reply
        except httpx.TransportError:
            if time.monotonic() > until:
                raise
        if time.monotonic() > until:
            raise RemoteError(f"GET {path}: {reply.status_code} {reply.text}")
        time.sleep(0.25)


def _report(
    client: httpx.Client, code: str, seats: tuple[str, ...], seed: int, started: float, patience: float
) -> Report:
    seconds = round(time.perf_counter() - started, 3)
    commits: list[dict[str, Any]] = []
    more = True
    while more:
        page = _right(_get(client, f"/api/rooms/{code}/history?after={len(commits)}", patience))
        commits.extend(page["commits"])
        more = page["more"]
    events = [event for commit in commits for event in commit["events"]]
    result = next(event["result"] for event in events if event["event"] == "GameEnded")
    turns = max(event["turn"] for event in events if event["event"] == "TurnBegan")
    digest = digest_of(json.dumps(event).encode() for event in events)
    return Report(result, turns, len(commits), len(events), seconds, digest, seats, seed)
