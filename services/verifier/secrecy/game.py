"""A whole game with every byte that any audience is sent, searched afterwards by whoever knows what was true."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import msgspec
import psycopg

from services.verifier.party import HOST, Party
from services.verifier.plan import CannotRunError, Run
from services.verifier.replies import short
from services.verifier.secrecy.asking import ask_for_everything
from services.verifier.secrecy.heard import ENGINE, Heard, Recorder, seq_of
from services.verifier.secrecy.searcher import leaks
from services.verifier.secrecy.truth import Told, Truth, Word
from shared.dune.events import decode_event, evolve
from shared.dune.table import Table
from shared.dune.views import SPECTATOR, encode_view, shown, view_of
from shared.wire.chain import canonical

GAMES = (
    ("basic", ("atreides", "bene_gesserit", "harkonnen", "guild", "emperor")),
    ("advanced", ("atreides", "bene_gesserit", "harkonnen", "fremen")),
)
QUICK = (("basic", ("atreides", "bene_gesserit", "harkonnen")),)
"""Mode and seats."""
OFTEN = 60
"""Answers between two rounds of asking for everything, with every token; a quick run does so once."""
ONCE = 15
NOT_OF_A_TABLE = ("offers", "standing", "waiting")

_COMMITS = """
SELECT c.version, c.checkpoint, ARRAY(SELECT e.body::text FROM events e
    WHERE e.room = c.room AND e.version = c.version ORDER BY e.index)
FROM commits c JOIN rooms r ON r.id = c.room WHERE r.code = %s ORDER BY c.version"""
_WORDS = "SELECT bot_key, hash FROM rooms WHERE code = %s"


def check(run: Run) -> None:
    """Play, ask, search; a game of each mode."""
    for mode, seats in QUICK if run.plan.quick else GAMES:
        _one(run, mode, seats)


def _one(run: Run, mode: str, seats: tuple[str, ...]) -> None:
    recorder = Recorder()
    version = [1]

    def heard(audience: str, kind: str) -> Callable[[str, bytes, dict[str, str]], None]:
        def take(event: str, data: bytes, headers: dict[str, str]) -> None:
            seq = seq_of(data)
            channel = "http" if seq is None else "stream"
            recorder.take(Heard(audience, channel, kind, data, version[0], seq, headers))

        return take

    with Party(run, seats, 1 if run.plan.quick else 2, f"secrecy:{mode}", heard, mode) as party:
        game = _Game(run, party, recorder, version)
        game.play()
    if not party.over:
        raise CannotRunError("the game did not come to its end, so nobody knows what was true")
    for leak in leaks(game.truth(), recorder.heard):
        audience, _, rest = leak.partition(" ")
        run.found(rest, f"what was sent to {audience}", f"nothing that {audience} may not know yet")
    run.count("things heard", len(recorder.heard))
    run.count("bytes", sum(len(one.data) for one in recorder.heard))


class _Game:
    """The party, and what each of its seats knew of its own at each number."""

    def __init__(self, run: Run, party: Party, recorder: Recorder, version: list[int]) -> None:
        self._run, self._party, self._version = run, party, version
        self._sequences: list[dict[str, int]] = []
        self._known: dict[tuple[str, int], bytes] = {}
        room = party.room
        issued = room.call(
            "POST", f"{room.path}/seats/1/tokens", {"scope": "seat:observe"}, room.tokens[self._first]
        )
        if issued.status_code != 201:
            raise CannotRunError(f"no observer's token: {issued.status_code} {short(issued)}")
        self._observer = str(issued.json()["token"])
        self._names = {token: audience for audience, token in party.tokens.items() if token}
        self._names[self._observer] = self._first
        recorder.listen(room.client, self._who, lambda: version[0])
        self._note()

    @property
    def _first(self) -> str:
        return next(iter(self._party.room.tokens))

    def _who(self, header: str) -> str:
        return self._names.get(header.removeprefix("Bearer "), SPECTATOR)

    def play(self) -> None:
        """To the end; everybody's whole view after each answer, everything now and then."""
        party, tokens, quick = self._party, [*self._names], self._run.plan.quick
        for number in range(5_000):
            if number == ONCE if quick else number % OFTEN == 0:
                ask_for_everything(party.room, tokens, party.room.tokens)
            found = party.choose()
            if found is None:
                break
            # While an answer is on its way it may be heard of already.
            self._version[0] = party.accepted + 2
            party.act(*found, party.sample(found[1]))
            self._version[0] = party.accepted + 1
            if len(self._sequences) < party.accepted + 1:
                self._note()
            self._run.step(party.accepted, 250 if len(party.room.tokens) > 3 else 120, "answers")
        if not quick:
            ask_for_everything(party.room, tokens, party.room.tokens)
        party.room.client = self._run.client()  # what is read from here on is for the judge

    def _note(self) -> None:
        """The number of every audience after this commit, and what its own view says of the table."""
        numbers = {}
        for audience in (*self._party.room.tokens, SPECTATOR):
            whole = self._party.call("GET", "/view", None, audience).json()
            numbers[audience] = whole["seq"]
            self._known[audience, whole["seq"]] = _table_of(whole["view"])
        self._sequences.append(numbers)

    # ------------------------------------------------------------------ what was true

    def truth(self) -> Truth:
        """From the store where it can be read, else from the history that the deployment tells after the end."""
        told = self._history()
        words = list(self._words())
        if self._run.plan.database_url:
            stored, more = self._stored()
            alike = [[canonical(event) for event in events] for events, _ in told]
            kept = [[canonical(event) for event in events] for events, _ in stored]
            self._run.expect(alike == kept, "another history", "GET …/history", "the events of the store")
            told, words = stored, [*words, *more]
        return Truth(tuple(self._party.room.tokens), (), told, words)

    def _history(self) -> list[Told]:
        """What the deployment tells, held against what each seat was shown of its own all along."""
        commits = self._party.room.history()
        right = len(commits) == len(self._sequences)
        what = f"{len(commits)} commits, {len(self._sequences)} answers"
        if not self._run.expect(right, what, "the history of the recorded game", "one for each answer"):
            raise CannotRunError("the history is not that of the game, so nobody knows what was true")
        told: list[Told] = []
        table = Table()
        for events, numbers in zip(commits, self._sequences, strict=True):
            bodies = [msgspec.json.encode(event) for event in events]
            for body in bodies:
                table = evolve(table, decode_event(body))
            now = shown(table)
            for audience, seq in numbers.items():
                made = _table_of(msgspec.json.decode(encode_view(view_of(now, audience, (), (), ()))))
                same = made == self._known[audience, seq]
                self._run.expect(
                    same, f"another view at number {seq}", f"{audience}", "what the history makes of it"
                )
            told.append((bodies, numbers))
        return told

    def _stored(self) -> tuple[list[Told], list[Word]]:
        try:
            with psycopg.connect(self._run.plan.database_url) as connection:
                rows = connection.execute(_COMMITS, (self._party.room.code,)).fetchall()
                row = connection.execute(_WORDS, (self._party.room.code,)).fetchone()
        except psycopg.Error as wrong:
            raise CannotRunError(f"the store cannot be read: {type(wrong).__name__}") from None
        if row is None:
            raise CannotRunError("the store does not hold the room: is it that of this deployment?")
        told = [
            ([body.encode() for body in bodies], msgspec.json.decode(bytes(saved))["sequences"])
            for _, saved, bodies in rows
        ]
        key, tip = bytes(row[0]), bytes(row[1])
        return told, [
            Word("the key of the bots", key.hex().encode()),
            Word("the chain's hash", tip.hex().encode()),
        ]

    def _words(self) -> Iterator[Word]:
        yield Word("the state of chance", b"sha256ctr:", frozenset({ENGINE}))
        yield Word("an observer's token", self._observer.encode(), frozenset({self._first}))
        for audience, token in self._party.tokens.items():
            if token:
                owner = "the host" if audience == HOST else audience
                yield Word(f"the token of {owner}", token.encode())


def _table_of(view: dict[str, object]) -> bytes:
    """What a view says of the table: without whom is asked."""
    return canonical(
        msgspec.json.encode({key: value for key, value in view.items() if key not in NOT_OF_A_TABLE})
    )
