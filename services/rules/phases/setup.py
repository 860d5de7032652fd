"""Setup: leaders, decks, prediction, traitors, spice, forces, first treachery cards. [START-01]

The steps are guests of the moment `setup`, so that a faction or module adds its own between them by its order:
10 pieces, 20 prediction, 30 traitors, 40 spice and forces, 50 chosen placement, 60 treachery cards.
"""

from __future__ import annotations

from services.rules.engine.flow import Answers, Flow, Next
from services.rules.engine.hooks import quote
from services.rules.engine.moments import at
from services.rules.engine.offering import choose, offer
from services.rules.engine.play import Play
from services.rules.engine.quotes import StartingCards, TraitorsKept
from shared.dune import facts
from shared.dune.decks import spice_pieces, treachery_pieces
from shared.dune.events.forces import ForcesMoved, ForcesReady, SpicePaid
from shared.dune.events.pieces import CardDrawn, PiecesLaid
from shared.dune.events.setup import TraitorsDealt, TraitorsKeptBack
from shared.dune.facts.forces import kind_of as force_kind
from shared.dune.facts.special import specials_of
from shared.dune.offers import Offer
from shared.dune.settings import Faction
from shared.dune.shapes import Amounts, Fields, Json, Option
from shared.dune.table import BANK, RESERVES, Kinds, Table, zone

__all__ = ["ChosenPlacement"]

TRAITORS_DEALT = 4


@at("setup", rule="START-20", order=10)
def lay_pieces(table: Table, subject: Json) -> Flow:
    """Leaders to their pools, all decks shuffled."""
    return LayPieces()


class LayPieces(Flow, tag="setup.pieces", frozen=True, omit_defaults=True):
    """Lay out what the sets in play contain. [START-06, START-20, CARD-01, MAP-11]"""

    def start(self, play: Play) -> Next:
        """All physical pieces of the base game."""
        treachery = treachery_pieces(play.table.settings.decks)
        play.emit(PiecesLaid("treachery_deck", play.chance.shuffled(treachery)))
        play.emit(PiecesLaid("spice_deck", play.chance.shuffled(spice_pieces())))
        traitors: list[str] = []
        for faction in play.table.seats:
            play.emit(PiecesLaid(f"leaders.{faction}", facts.leaders_of(faction)))
            if specials := specials_of(faction, play.table.settings.mode):
                play.emit(PiecesLaid(f"special_leaders.{faction}", specials))
            traitors.extend(f"traitor:{leader}" for leader in facts.leaders_of(faction))
        play.emit(PiecesLaid("traitor_deck", play.chance.shuffled(traitors)))
        return self.done()


@at("setup", rule="START-07", order=30)
def deal_traitors(table: Table, subject: Json) -> Flow:
    """Four traitor cards each."""
    return DealTraitors()


class DealTraitors(Flow, tag="setup.traitors", frozen=True, omit_defaults=True):
    """Each player is dealt four traitor cards and keeps one, all at the same time. [START-06..START-10]"""

    def start(self, play: Play) -> Next:
        """Deal, in player-circle order; the order of dealing tells nobody anything."""
        for faction in play.table.seats:
            play.emit(TraitorsDealt(faction, zone(play.table, "traitor_deck")[:TRAITORS_DEALT]))
        return self.goto("keep_all")

    def keep_all(self, play: Play) -> Next:
        """Who may keep all of them keeps them without a question. [START-09]"""
        for faction in play.table.seats:
            dealt = zone(play.table, f"traitors_dealt.{faction}")
            if quote(play.table, TraitorsKept(faction=faction, value=1)).value >= len(dealt):
                play.emit(TraitorsKeptBack(faction, dealt))
        return self.goto("choose")

    def choose(self, play: Play) -> Next:
        """Everybody else chooses one. [START-07]"""
        asked = [f for f in play.table.seats if zone(play.table, f"traitors_dealt.{f}")]
        return self.ask([self._offer(play.table, faction) for faction in asked], then="chosen")

    def chosen(self, play: Play, answers: Answers) -> Next:
        """The chosen card is kept, the others are out of play; their owner may remember them. [START-10]"""
        for faction, answer in answers.items():
            play.emit(TraitorsKeptBack(faction, (answer["choice"],)))
        return self.done()

    def _offer(self, table: Table, faction: Faction) -> Offer:
        dealt = zone(table, f"traitors_dealt.{faction}")
        options = [Option(card, _traitor_label(card)) for card in dealt]
        why = "Keep one traitor: in battle its leader betrays its owner to you."
        default = {"choice": default_traitor(faction, dealt)}
        return offer(
            faction, "traitor", why, choose(options, "Traitor"), default=default, rules=("START-07",)
        )


def default_traitor(faction: Faction, dealt: tuple[str, ...]) -> str:
    """The strongest leader that is not the player's own, else a random one: the first dealt. [START-07]"""
    others = [card for card in dealt if facts.leader(facts.face(card)).faction != faction]
    return max(others, key=lambda card: facts.leader(facts.face(card)).strength, default=dealt[0])


def _traitor_label(card: str) -> str:
    leader = facts.leader(facts.face(card))
    return f"{leader.name} ({facts.name(leader.faction)}, {leader.strength})"


@at("setup", rule="START-12", order=40)
def spice_and_forces(table: Table, subject: Json) -> Flow:
    """Starting spice and the forces that the sheets place."""
    return SpiceAndForces()


class SpiceAndForces(Flow, tag="setup.forces", frozen=True, omit_defaults=True):
    """Starting spice, forces on the board and in reserves, as the faction sheets say.

    [START-11, START-12, START-13]
    """

    def start(self, play: Play) -> Next:
        """One faction after another."""
        for faction in play.table.seats:
            play.emit(SpicePaid(BANK, facts.faction(faction).spice, faction, "setup"))
            placed = facts.forces_placed(faction, play.table.settings.mode)
            for place, number in placed.items():
                play.emit(ForcesReady(faction, place, {"regular": number}))
            kinds = dict(facts.forces_of(faction, play.table.settings.mode))
            kinds["regular"] -= sum(placed.values())
            play.emit(ForcesReady(faction, RESERVES, kinds))
        return self.done()


class ChosenPlacement(Flow, tag="setup.placement", frozen=True, omit_defaults=True):
    """A faction itself distributes a number of its forces over named territories, sectors too, publicly. [START-14]

    `placed`: how many forces each place gets, when it is still to be said which of them are elite. [START-15]
    """

    faction: Faction
    rule: str
    placed: dict[str, int] = {}

    def start(self, play: Play) -> Next:
        """Ask for the distribution."""
        number, territories = facts.forces_chosen(self.faction)
        places = [place for territory in territories for place in facts.locations_of(territory)]
        shape = Amounts(
            dict.fromkeys(places, number),
            number,
            number,
            {place: facts.name(place) for place in places},
        )
        why = f"Distribute {number} forces over {', '.join(facts.name(t) for t in territories)}."
        made = offer(
            self.faction,
            "placement",
            why,
            Fields({"forces": shape}, labels={"forces": "Forces"}),
            default={"forces": {places[0]: number}},
            rules=(self.rule,),
        )
        return self.ask([made], then="distributed")

    def distributed(self, play: Play, answers: Answers) -> Next:
        """Put them there; a faction that has elite forces says first which of them are. [START-15]"""
        placed = {place: number for place, number in answers[self.faction]["forces"].items() if number}
        return self.replace(placed=placed).goto("elite" if self._elites(play.table) else "place")

    def elite(self, play: Play) -> Next:
        """How many of the forces are elite, and where. Default: none. [START-15]"""
        most = self._elites(play.table)
        kind = force_kind(facts.elite_kind(self.faction))
        shape = Amounts(
            {place: min(number, most) for place, number in self.placed.items()},
            0,
            most,
            {place: facts.name(place) for place in self.placed},
            rule="START-15",
        )
        made = offer(
            self.faction,
            "placement_elite",
            f"How many of the forces that you have placed are {kind.many}, and where?",
            Fields({"forces": shape}, labels={"forces": kind.many}),
            default={"forces": {}},
            rules=("START-15",),
        )
        return self.ask([made], then="elite_placed")

    def elite_placed(self, play: Play, answers: Answers) -> Next:
        """Elite and normal forces go there together."""
        elites = answers[self.faction]["forces"]
        for place, number in self.placed.items():
            elite = elites.get(place, 0)
            kinds = {"regular": number - elite, facts.elite_kind(self.faction): elite}
            self._put(play, place, {kind: held for kind, held in kinds.items() if held})
        return self.done()

    def place(self, play: Play) -> Next:
        """All of them are normal forces."""
        for place, number in self.placed.items():
            self._put(play, place, {"regular": number})
        return self.done()

    def _put(self, play: Play, place: str, kinds: Kinds) -> None:
        play.emit(ForcesMoved(self.faction, kinds, RESERVES, place, "setup"))

    def _elites(self, table: Table) -> int:
        return table.kinds_at(RESERVES, self.faction).get(facts.elite_kind(self.faction), 0)


@at("setup", rule="START-19", order=60)
def first_cards(table: Table, subject: Json) -> Flow:
    """The first treachery cards."""
    return FirstCards()


class FirstCards(Flow, tag="setup.cards", frozen=True, omit_defaults=True):
    """Each player draws one treachery card, or as many as its sheet says. [START-19]"""

    def start(self, play: Play) -> Next:
        """One player after another."""
        for faction in play.table.seats:
            for _ in range(quote(play.table, StartingCards(faction=faction, value=1)).value):
                play.emit(CardDrawn(faction, zone(play.table, "treachery_deck")[0], "setup"))
        return self.done()
