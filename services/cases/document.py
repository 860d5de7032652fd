"""`docs/cases.md`, made from the code: what a case may say and expect, and every kind of offer with its answer.

The kinds of offers are collected by playing: all conformance cases, and some seeded games of random legal answers.
"""

from __future__ import annotations

import random
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from services.cases.expect import READERS, TESTS
from services.cases.model import find_cases
from services.cases.run import run_case
from services.cases.world import EngineWorld
from services.rules.engine.game import Decision, Game, answer
from services.rules.newgame import begin
from shared.dune.offers import Offer
from shared.dune.settings import Settings
from shared.dune.shapes import Amounts, Fields, ManyOf, Number, OneOf, Shape, Text, Transfer, Variant

__all__ = ["collect", "document"]

GAMES = 4
CLASSIC = ("atreides", "bene_gesserit", "emperor", "fremen", "guild", "harkonnen")

ANSWERS: dict[type, str] = {
    OneOf: "one of the options' values",
    Number: "a whole number",
    ManyOf: "a list of different options' values",
    Amounts: "an object of key to whole number",
    Transfer: '`{"from": {place: {kind: n}}, "to": place}`',
    Text: "text",
    Fields: "an object",
    Variant: 'an object with `"do"`',
}


class Kinds:
    """Every kind of offer met so far: why it was asked, whether it stands or is asked, and the fields of its answer."""

    def __init__(self) -> None:
        self.why: dict[str, str] = {}
        self.standing: set[str] = set()
        self.fields: dict[str, dict[str, set[str]]] = {}
        self.rules: dict[str, set[str]] = {}

    def meet(self, offers: Iterable[Offer]) -> None:
        """Take note of some offers."""
        for offer in offers:
            known = self.why.get(offer.kind)
            self.why[offer.kind] = min(known, offer.why) if known else offer.why
            self.rules.setdefault(offer.kind, set()).update(offer.rules)
            if not offer.clock:
                self.standing.add(offer.kind)
            found = self.fields.setdefault(offer.kind, {})
            if isinstance(offer.choice, Variant):
                for name, fields in offer.choice.variants.items():
                    found.setdefault(name, set()).update(_fields(fields))
            else:
                found.setdefault("", set()).update(_fields(offer.choice))


def _fields(fields: Fields) -> set[str]:
    return {f"`{name}`: {_said(shape)}" for name, shape in fields.fields.items()}


def _said(shape: Shape) -> str:
    return ANSWERS[type(shape)]


class _Watched(EngineWorld):
    """The engine world, whose every question is taken note of."""

    kinds = Kinds()

    def __init__(self, described: dict[str, Any]) -> None:
        super().__init__(described)
        self._note()

    def act(self, seat: str, offer: Offer, given: dict[str, Any]) -> str:
        """Answer, and note what is asked then."""
        code = super().act(seat, offer, given)
        self._note()
        return code

    def _note(self) -> None:
        for seat in self.game.table.seats:
            self.kinds.meet(self.game.offers_of(seat))


def collect(cases: Path) -> Kinds:
    """All kinds of offers that the cases below a folder and some random games meet."""
    kinds = _Watched.kinds = Kinds()
    for path in find_cases([cases]):
        run_case(path, _Watched)
    for seed in range(GAMES):
        _play(seed, kinds)
    return kinds


def _play(seed: int, kinds: Kinds) -> None:
    rng = random.Random(seed)
    decision = begin(Settings(seats=CLASSIC), seed)
    assert isinstance(decision, Decision)
    game: Game = decision.game
    while game.table.result is None:
        kinds.meet(game.open)
        offer = rng.choice([o for o in game.open if o.committed is None])
        try:
            given = offer.choice.sample(rng)
        except LookupError:
            given = offer.default
        outcome = answer(game, offer.seat, offer.id, given)
        assert isinstance(outcome, Decision)
        game = outcome.game


def document(cases: Path) -> str:
    """The whole page."""
    kinds = collect(cases)
    lines = [HEAD, "## What may be expected", "", "| path | meaning |", "| --- | --- |"]
    for name, reader in READERS.items():
        lines.append(f"| `{name}` | {MEANINGS[name]} |")
        assert callable(reader)
    lines += ["", "A value is compared as it is, lists in any order; or it is an object of tests:", ""]
    lines += [f"- `{name}`: {TEST_MEANINGS[name]}" for name in TESTS]
    lines += ["", "## Every kind of offer and its answer", ""]
    lines += ["Cancel windows (`window.cancel.<power>`) take the same answers, whatever the power.", ""]
    for kind in sorted(kinds.why):
        if kind.startswith("window.cancel.") and kind != _first_cancel(kinds):
            continue
        lines += _section(kind, kinds)
    return "\n".join(lines) + "\n"


def _first_cancel(kinds: Kinds) -> str:
    return min(kind for kind in kinds.why if kind.startswith("window.cancel."))


def _section(kind: str, kinds: Kinds) -> list[str]:
    title = "window.cancel.<power>" if kind.startswith("window.cancel.") else kind
    always = " (always there)" if kind in kinds.standing else ""
    rules = ", ".join(sorted(kinds.rules[kind]))
    lines = [f"### `{title}`{always}", "", f"*{kinds.why[kind]}*" + (f" [{rules}]" if rules else ""), ""]
    for name, fields in sorted(kinds.fields[kind].items()):
        inside = "; ".join(sorted(fields)) or "nothing more"
        lines.append(f'- `{{"do": "{name}"}}` with {inside}' if name else f"- {inside}")
    return [*lines, ""]


HEAD = """# Conformance cases

One file is one case: how the table stands, what is played, what must hold. `sietch case run PATH...` runs files or
folders against the engine; `--url URL` runs the same files over HTTP against a deployment started with
`SIETCH_SCENARIOS=1`. Exit status 0: all hold; 1: one does not; 2: a file is malformed (the message names file and key).
This page is made by `sietch case document`; a test keeps it true.

```toml
rules = ["STORM-03", "STORM-11"]       # what it proves
about = "Two dials add up."

[table]                                # what is not stated takes its usual value for that moment
seats = ["atreides", "harkonnen"]      # in player-circle order
circles = [4, 13]                      # their sectors
turn = 2
phase = "storm"                        # the case starts as this phase opens (`step` names a step inside it)
storm = 9
seed = 1                               # decides everything that is left to chance
# (in the Advanced game a dial counts halves: 7 is 3 and a half)
# also: mode, modules, decks, last_turn, rulings, wall = false, wheels, marks, and
# spice = { place = n }, deck = { treachery = [...], spice = [...], storm = [...] } (tops, first drawn first),
# discard = { treachery = [...], spice_a = [...] }

[table.atreides]                       # forces not placed are in reserves
forces = { "old_gap:10" = 3, carthag = 2 }   # or by kind: { arrakeen = { advisor = 2 } }, sardaukar, fedaykin, regular
# also: spice, bribes, hand, tanks = { regular = n, leaders = [...] }, tanks_down, traitors, ally, cycle, memory,
# prediction = [faction, turn], orders, secrets = { name = value }, captives

[[play]]                               # an answer to an offer of this kind; `refused = "illegal"` must be refused
seat = "atreides"
offer = "storm_dial"
answer = { dial = 1 }

[[play]]                               # everybody plays the default until then: an event's name, `phase.<name>`,
until = "phase.spice_blow"             # `turn.<n>`, `offer.<kind>` or `game.over`

[expect]                               # or `expect = {...}` inside any [[play]]
storm = 12
"forces.carthag" = { atreides = 2 }
```

`offered = false` says that a kind is not open for the seat; `expire = true` lets the seat's clock run out.
`keep = "early"` remembers what is open, without an answer, and `kept = "early"` sends a later answer to that: a request
that was delayed.
"""

MEANINGS = {
    "forces": "`.<location or territory>[.<faction>]`: forces there, by faction or as one number",
    "kinds": "`.<location or territory>.<faction>`: its forces there by kind",
    "reserves": "`.<faction>[.<kind>]`: forces in reserves",
    "tanks": "`.<faction>[.<kind>]`: forces in the tanks; `.<faction>.leaders`: leaders there",
    "zone": "`.<name>`: the faces of the pieces in a zone, top first",
    "hand": "`.<faction>`: treachery cards held",
    "leaders": "`.<faction>`: leaders in the pool",
    "traitors": "`.<faction>`: traitor cards kept",
    "spice": "`.<faction, location, territory or bank>`: spice there",
    "bribes": "`.<faction>`: spice in front of its shield",
    "mark": "`.<name>`: a fact that rules remember, or `absent`",
    "memory": "`.<faction>`: what it was shown",
    "ally": "`.<faction>`: its ally, or `none`",
    "storm": "the sector of the storm",
    "turn": "the turn",
    "phase": "the phase",
    "order": "storm order",
    "setting": "`.<name>`: a setting of the game",
    "result": "`none`, or `{winners, way}`; `.winners`, `.way`, `.turn`",
    "events": "everything that has happened since the start of the case",
    "offers": "`.<seat>`: kinds of offers asked of it now",
    "standing": "`.<seat>`: kinds of offers always there for it now",
    "waiting": "the seats that the game waits for",
    "about": "`.<seat>.<kind>`: the public facts that come with an offer",
    "why": "`.<seat>.<kind>`: why it is asked",
    "default": "`.<seat>.<kind>`: what silence means",
    "legal": (
        "`.<seat>.<kind>.<path>`: the exact legal set: names of what can be done, values, `{low, high}`, keys; of a "
        "transfer `to`, `from`, `to.<place>`, `most.<place>`, `prices.<place>`"
    ),
    "off": "`.<seat>.<kind>.<path>`: what is shown but cannot be chosen, with its rule id; of a transfer its targets, "
    "with `from` its sources",
    "view": "`.<seat or spectator>`: all that it sees and was ever shown, as text",
}

TEST_MEANINGS = {
    "contains": "holds all of these",
    "never_contains": "holds none of these",
    "lacks": "holds none of these",
    "count": "has this many",
    "first": "begins with these, in order",
    "order": "is exactly this, in order",
    "least": "is at least",
    "most": "is at most",
    "has": "events of all these names happened",
    "has_not": "no event of these names happened",
    "match": "for each of these objects some event has all its values",
    "no_match": "no event has all values of any of these objects",
    "sequence": "events of these names happened in this order, others between",
}
