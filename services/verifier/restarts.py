"""Services are restarted in the middle of games, and every game goes on where it was."""

from __future__ import annotations

import contextlib
import shlex
import subprocess
import threading
import time

import httpx
import msgspec

from services.arena.local import play_game
from services.arena.remote import RemoteError, play_remote
from services.arena.report import Report, factions_for
from services.verifier.games import ended
from services.verifier.party import Party
from services.verifier.plan import CannotRunError, Run
from services.verifier.replies import short
from shared.dune.offers import Offer
from shared.dune.settings import Settings

COMMAND_SECONDS = 180.0
BACK_SECONDS = 90.0
BETWEEN = 4
"""Answers between two restarts, and at least as many during one."""
SEATS, LAST_TURN = 4, 3
BOTS = 3


def check(run: Run) -> None:
    """One service after another, a game of persons and games of bots open all the while."""
    seed = run.chance("restarts").getrandbits(30)
    seats = factions_for(SEATS, seed)
    games: list[_Bots] = []
    with Party(run, seats, LAST_TURN, "restarts") as party:
        for number, service in enumerate(run.plan.services):
            run.step(number, len(run.plan.services), service)
            games.append(_Bots(run, seed + number))
            games[-1].start()
            games[-1].begun.wait(BACK_SECONDS)
            _through(run, party, service)
            run.count("restarts")
        while (found := party.choose()) is not None:
            party.act(*found, party.sample(found[1]))
        party.everybody()
        ended(run, party)
    for bots in games:
        bots.judge()


def _through(run: Run, party: Party, service: str) -> None:
    """Stand still through a restart, then play through another of the same service."""
    last = _play(run, party, BETWEEN)
    before = party.everybody()
    run.outage = True
    _ended(run, _begun(run, service), service)
    _back(run, service)
    after = party.everybody()
    for audience, view in after.items():
        changed = _differing(before[audience], view)
        where = f"{audience} after {service} was restarted"
        run.expect(not changed, f"changed: {', '.join(changed)}", where, "the same")
    if last is not None:
        seat, offer, given, command = last
        again = party.room.act(seat, offer.id, given, command)
        same = (again.status_code, again.content) == (200, b'{"ok":true}')
        where = f"a command from before {service} was restarted"
        run.expect(same, f"{again.status_code} {short(again)}", where, "its stored outcome")
    process = _begun(run, service)
    while process.poll() is None and not party.over:
        _play(run, party, 1)
    _ended(run, process, service)
    _back(run, service)
    run.outage = False
    _play(run, party, BETWEEN)


def _differing(before: bytes, after: bytes) -> list[str]:
    """The parts of a whole view in which two replies differ."""
    one, other = msgspec.json.decode(before), msgspec.json.decode(after)
    views = one.pop("view"), other.pop("view")
    return [
        name
        for old, new in ((one, other), views)
        for name in {**old, **new}
        if old.get(name) != new.get(name)
    ]


def _play(run: Run, party: Party, answers: int) -> tuple[str, Offer, object, str] | None:
    """Some answers; the last that was accepted, with its command id."""
    last = None
    for number in range(answers):
        found = party.choose()
        if found is None:
            return last
        seat, offer = found
        given, command = party.sample(offer), f"{party.chance.getrandbits(128):032x}"
        command = "-".join((command[:8], command[8:12], command[12:16], command[16:20], command[20:]))
        if party.act(seat, offer, given, command):
            last = (seat, offer, given, command)
        run.tick()
        if number:
            time.sleep(0.02)
    return last


def _begun(run: Run, service: str) -> subprocess.Popen[str]:
    words = [word.replace("{service}", service) for word in shlex.split(run.plan.restart)]
    try:
        return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    except OSError as wrong:
        raise CannotRunError(f"{words[0]} cannot be run: {wrong.strerror}") from None


def _ended(run: Run, process: subprocess.Popen[str], service: str) -> None:
    try:
        said, _ = process.communicate(timeout=COMMAND_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        raise CannotRunError(f"restarting {service} took more than {COMMAND_SECONDS:g} s") from None
    if process.returncode != 0:
        raise CannotRunError(f"restarting {service} ended with {process.returncode}: {said.strip()[-300:]}")


def _back(run: Run, service: str) -> None:
    """Ready again, within the time that is allowed."""
    client = run.client(5.0)
    deadline = time.monotonic() + BACK_SECONDS
    while True:
        run.tick()
        with contextlib.suppress(httpx.TransportError):  # nobody answers yet
            if client.get("/readyz").status_code == 200:
                return
        if time.monotonic() > deadline:
            run.found("not ready", f"{BACK_SECONDS:g} s after {service} was restarted", "GET /readyz: 200")
            return
        time.sleep(0.2)


class _Bots(threading.Thread):
    """A game of bots through all restarts: the game that it would have been in peace."""

    def __init__(self, run: Run, seed: int) -> None:
        super().__init__(daemon=True)
        self._run = run
        self._seed = seed
        self._seats = factions_for(BOTS, seed)
        self._report: Report | None = None
        self._wrong = "it never ended"
        self.begun = threading.Event()
        """Set once it is being played, or cannot be: only what has begun is to go on through a restart."""

    def run(self) -> None:
        """Play on through whatever happens: the room is made once, then it is only watched."""
        url, seats = self._run.plan.url, self._seats
        try:
            self._report = play_remote(
                url, seats, self._seed, "basic", 10, "easy", lambda view: self.begun.set(), BACK_SECONDS
            )
        except RemoteError as wrong:
            self._wrong = str(wrong)
        finally:
            self.begun.set()

    def judge(self) -> None:
        """Hold it against the same game in one process."""
        self.join(BACK_SECONDS)
        alone = play_game(
            Settings(seats=self._seats, last_turn=10), self._seed, "easy", lambda game: self._run.tick()
        )
        where = f"a game of {BOTS} bots through restarts, seed {self._seed}"
        if self._report is None:
            self._run.found(self._wrong, where, "the whole game")
            return
        same = (self._report.commits, self._report.digest) == (alone.commits, alone.digest)
        what = f"{self._report.commits} commits, digest {self._report.digest[:16]}"
        self._run.expect(
            same, what, where, f"{alone.commits} commits, digest {alone.digest[:16]}, as in peace"
        )
