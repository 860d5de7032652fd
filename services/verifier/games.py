"""Whole random games over HTTP: every answer that an offer's shapes allow is taken, refusals change nothing, every
audience is shown everything in order, and the history at the end is the game that was played.
"""

from __future__ import annotations

from functools import partial
from typing import Any
from uuid import uuid4

import msgspec

from services.arena.report import factions_for
from services.verifier.party import Party, turns
from services.verifier.plan import Run
from services.verifier.replies import code_of, short
from shared.dune.events import decode_event, evolve
from shared.dune.offers import Offer
from shared.dune.settings import Mode
from shared.dune.table import Table
from shared.dune.views import SPECTATOR, encode_view, shown, view_of
from shared.wire.chain import canonical

GAMES: tuple[tuple[int, Mode], ...] = (
    (6, "basic"),
    (3, "advanced"),
    (4, "basic"),
    (2, "basic"),
    (5, "advanced"),
    (6, "basic"),
)
QUICK: tuple[tuple[int, Mode], ...] = ((3, "basic"),)
"""Seats and mode."""
EVERY = 12
"""Answers between two looks at everything: refusals, repeats, the views of all."""
MOST_ANSWERS = 5_000
NOT_OF_A_TABLE = ("offers", "standing", "waiting")
"""Parts of a view that do not follow from events."""
NONSENSE: tuple[Any, ...] = (None, {}, {"do": "nothing of the kind"}, {"choice": ["lasgun"]}, [1], "pass", -1)


def check(run: Run) -> None:
    """Play games with different numbers of seats, in each mode."""
    games = QUICK if run.plan.quick else GAMES
    run.at_once(
        [
            (f"{seats} seats, {mode}", partial(_whole, run, f"games:{number}", seats, mode))
            for number, (seats, mode) in enumerate(games)
        ]
    )


def _whole(run: Run, word: str, seats: int, mode: Mode) -> None:
    """One game; the word is its chance."""
    factions = factions_for(seats, run.chance(word).getrandbits(30))
    with Party(run, factions, turns(run.chance(word), run), word, mode=mode) as party:
        play(run, party)
    run.count("games")


def play(run: Run, party: Party) -> None:
    """To the end, with everything that must hold."""
    for number in range(MOST_ANSWERS):
        found = party.choose()
        if found is None:
            break
        seat, offer = found
        if number % EVERY == 0:
            refusals(run, party, seat, offer)
            repeated(run, party, seat, offer)
        else:
            party.act(seat, offer, party.sample(offer))
    else:
        run.found(f"no end after {MOST_ANSWERS} answers", "a game", "every game ends")
        return
    party.everybody()
    ended(run, party)


def refusals(run: Run, party: Party, seat: str, offer: Offer) -> None:
    """A stranger's, stale or malformed answer is refused, and nobody sees anything of it."""
    before = party.everybody()
    other = next(name for name in party.room.tokens if name != seat)
    good = party.sample(offer)
    tries = [(other, offer.id, good), (seat, f"{offer.id}0", good), (seat, "no-such", good)]
    tries += [(seat, offer.id, nonsense) for nonsense in NONSENSE]
    for who, name, given in tries:
        if (who, name) == (seat, offer.id) and offer.problem(given) is None:
            continue  # no nonsense to this offer
        checked = party.call("POST", "/check", {"offer": name, "answer": given}, who)
        acted = party.room.act(who, name, given)
        run.count("refusals")
        for reply in (checked, acted):
            run.expect(
                reply.status_code in (400, 409, 422),
                f"{reply.status_code} {short(reply)} to {given!r}",
                f"an answer of {'its seat' if who == seat else 'another seat'} to {offer.kind}",
                "a refusal: 400, 409 or 422",
            )
    checked = party.call("POST", "/check", {"offer": offer.id, "answer": good}, seat)
    what = f"{checked.status_code} {short(checked)} to {good!r}"
    run.expect(
        checked.status_code == 200, what, f"trying an answer to {offer.kind}", "200: it fits the shapes"
    )
    for audience, view in party.everybody().items():
        run.expect(
            view == before[audience], "the view changed", f"{audience} after refusals", "nothing changes"
        )


def repeated(run: Run, party: Party, seat: str, offer: Offer) -> None:
    """One command twice has one outcome; anything else under its id is a conflict. Both change nothing more."""
    given, command = party.sample(offer), str(uuid4())
    if not party.act(seat, offer, given, command):
        return
    before = party.everybody()
    again = party.room.act(seat, offer.id, given, command)
    same = (again.status_code, again.content) == (200, b'{"ok":true}')
    run.expect(
        same, f"{again.status_code} {short(again)}", "a command that is sent again", "its stored outcome"
    )
    body = {"command_id": command, "offer": offer.id, "answer": {"something": "else"}}
    other = party.call("POST", "/actions", body, seat)
    used = other.status_code == 409 and code_of(other) == "command_used"
    run.expect(
        used,
        f"{other.status_code} {short(other)}",
        "another answer under a used command id",
        "409 command_used",
    )
    for audience, view in party.everybody().items():
        run.expect(
            view == before[audience], "the view changed", f"{audience} after a repeat", "nothing changes"
        )


def ended(run: Run, party: Party) -> None:
    """The history is the game: as many commits as were accepted, and its fold is what everybody was shown last."""
    room = party.room
    if not run.expect(room.over(), "the room is not finished", "a game with a result", "state finished"):
        return
    room.promises.finished(room.code)
    commits = room.history()
    what = f"{len(commits)} commits after {party.accepted} accepted answers"
    run.expect(
        len(commits) == party.accepted + 1, what, "the history of a game", "one for each, and the first"
    )
    table = Table()
    for events in commits:
        for event in events:
            table = evolve(table, decode_event(msgspec.json.encode(event)))
    now = shown(table)
    for audience in (*room.tokens, SPECTATOR):
        folded = msgspec.json.decode(encode_view(view_of(now, audience, (), (), ())))
        _, last = party.ears[audience].state()
        told = {key: value for key, value in (last or {}).items() if key not in NOT_OF_A_TABLE}
        same = canonical(msgspec.json.encode(told)) == canonical(msgspec.json.encode(folded))
        run.expect(
            same, "another view than the history makes", f"{audience} at the end", "the fold of the history"
        )
