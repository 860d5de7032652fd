"""Leaks, each planted into what was really heard. A plant returns what is heard with it, and words of the finding."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from services.verifier.secrecy.heard import BOTS, NOBODY, Heard
from services.verifier.secrecy.truth import Truth, Word
from shared.dune import facts

Plant = Callable[[Truth, list[Heard]], tuple[list[Heard], str]]

WHO = "atreides"
OTHER = "harkonnen"


def changed(
    heard: list[Heard], change: Callable[[dict[str, Any]], None], channel: str = "stream"
) -> list[Heard]:
    """One message of a kind with something in it that was not there."""
    picked = _picked(heard, channel)
    body = msgspec.json.decode(picked.data)
    change(body)
    return [msgspec.structs.replace(picked, data=msgspec.json.encode(body))]


def _picked(heard: list[Heard], channel: str, word: bytes = b'"events"') -> Heard:
    kept = [one for one in heard if one.channel == channel and one.audience == WHO and word in one.data]
    return kept[len(kept) // 2]


def _piece(truth: Truth, heard: list[Heard], numbered: bool = False) -> str:
    """A card that the audience does not know at the moment that is changed."""
    picked = _picked(heard, "stream")
    hidden = truth.hidden(WHO, truth.at(WHO, 0, picked.seq))
    cards = sorted(piece for piece in hidden if facts.face(piece) in facts.treachery_cards())
    return next(card for card in cards if ("#" in card) is numbered)


def a_card_in_a_view(truth: Truth, heard: list[Heard]) -> tuple[list[Heard], str]:
    """A unique card, wherever it stands."""
    card = _piece(truth, heard)
    return changed(heard, lambda body: body["patch"].update(marks={"x": [card]})), card


def a_copy_in_a_view(truth: Truth, heard: list[Heard]) -> tuple[list[Heard], str]:
    """A numbered copy within a longer text."""
    card = _piece(truth, heard, numbered=True)
    return changed(heard, lambda body: body["patch"].update(phase=f"bidding {card}!")), card


def a_face_in_another_hand(truth: Truth, heard: list[Heard]) -> tuple[list[Heard], str]:
    """A card that all know by its face, in a hand that is another's."""
    zones = {"zones": {f"hand.{OTHER}": ["karama"]}}
    return changed(heard, lambda body: body["patch"].update(zones)), f"hand.{OTHER} is not for"


def the_order_of_a_deck(truth: Truth, heard: list[Heard]) -> tuple[list[Heard], str]:
    """The faces of a deck."""
    zones = {"zones": {"treachery_deck": ["karama", "shield"]}}
    return changed(heard, lambda body: body["patch"].update(zones)), "treachery_deck is not for"


def a_traitor_as_a_key(truth: Truth, heard: list[Heard]) -> tuple[list[Heard], str]:
    """A traitor card where nobody looks."""
    hidden = truth.hidden(WHO, truth.at(WHO, 0, _picked(heard, "stream").seq))
    card = next(piece for piece in sorted(hidden) if piece.startswith("traitor:"))
    return changed(heard, lambda body: body["patch"].update({"counts": {card: 1}})), card


def spice_behind_a_shield(truth: Truth, heard: list[Heard]) -> tuple[list[Heard], str]:
    """Another's amount."""
    return changed(heard, lambda body: body["patch"].update(spice={OTHER: 7})), "lies behind a shield"


def a_prediction(truth: Truth, heard: list[Heard]) -> tuple[list[Heard], str]:
    """The secret mark of another."""
    marks = {"marks": {"prediction.bene_gesserit": [OTHER, "3"]}}
    return changed(heard, lambda body: body["patch"].update(marks)), "prediction.bene_gesserit is a mark for"


def a_sealed_plan(truth: Truth, heard: list[Heard]) -> tuple[list[Heard], str]:
    """Another's offer with what it has committed."""
    offer = {"seat": OTHER, "kind": "battle_plan", "choice": {}, "committed": {"forces": 3}}
    return changed(heard, lambda body: body["patch"].update(offers=[offer])), f"an offer of {OTHER}"


def the_flows(truth: Truth, heard: list[Heard]) -> tuple[list[Heard], str]:
    """What is stored with a commit."""
    return changed(heard, lambda body: body["patch"].update(stack=[{"answers": {}}])), "stack is the engine's"


def a_field_of_an_event(truth: Truth, heard: list[Heard]) -> tuple[list[Heard], str]:
    """A card by a face that is open elsewhere, in an event about another."""
    event = {"event": "CardDrawn", "faction": OTHER, "card": "karama", "text": ""}
    return changed(heard, lambda body: body["events"].append(event)), "CardDrawn.card is not for"


def a_line_of_the_log(truth: Truth, heard: list[Heard]) -> tuple[list[Heard], str]:
    """A sentence that names a card."""
    name = facts.name(_piece(truth, heard))
    event = {"event": "CardDrawn", "faction": OTHER, "text": f"Harkonnen draws {name}."}
    return changed(heard, lambda body: body["events"].append(event)), "names what is hidden"


def a_card_foreseen_by_another(truth: Truth, heard: list[Heard]) -> tuple[list[Heard], str]:
    """What one seat was shown of a plan, told to a third."""
    name = facts.name(_piece(truth, heard))
    text = f"Harkonnen shows Guild: defense {name}."
    event = {"event": "ElementShown", "seer": "guild", "target": OTHER, "text": text}
    return changed(heard, lambda body: body["events"].append(event)), "names what is hidden"


def an_error_text(truth: Truth, heard: list[Heard]) -> tuple[list[Heard], str]:
    """A refusal that says too much."""
    picked = next(one for one in heard if one.channel == "http" and one.where.endswith(" 409"))
    hidden = truth.hidden(picked.audience, truth.at(picked.audience, picked.version, None))
    cards = (piece for piece in sorted(hidden) if facts.face(piece) in facts.treachery_cards())
    card = next(card for card in cards if "#" not in card)
    name = facts.name(card)
    body = msgspec.json.decode(picked.data) | {"text": f"Not while Harkonnen holds the {name}."}
    return [msgspec.structs.replace(picked, data=msgspec.json.encode(body))], "names what is hidden"


def a_log_line(truth: Truth, heard: list[Heard]) -> tuple[list[Heard], str]:
    """An error that names a piece, in a service's log."""
    card = _piece(truth, heard)
    line = f'{{"event":"a request failed","exception":"KeyError: \'{card}\'"}}'
    return [Heard(NOBODY, "log", "rules.log", line.encode())], card


def a_token_in_a_log(truth: Truth, heard: list[Heard]) -> tuple[list[Heard], str]:
    """A seat's token."""
    word = next(word for word in truth.words if word.what == f"the token of {WHO}")
    return [Heard(NOBODY, "log", "room.log", b"authorization: Bearer " + word.text)], word.what


def a_metric_label(truth: Truth, heard: list[Heard]) -> tuple[list[Heard], str]:
    """A card as a label."""
    card = _piece(truth, heard)
    line = f'sietch_rules_cards_played_total{{card="{card}"}} 1.0'
    return [Heard(NOBODY, "metrics", "rules", line.encode())], card


def _word(truth: Truth, what: str) -> Word:
    return next(word for word in truth.words if word.what.startswith(what))


def a_room_in_a_label(truth: Truth, heard: list[Heard]) -> tuple[list[Heard], str]:
    """The id of the room, as subjects hold it."""
    word = _word(truth, "the room's id")
    line = b'sietch_bus_handled_seconds_count{subject="view.' + word.text + b'.guild"} 1.0'
    return [Heard(NOBODY, "metrics", "projection", line)], word.what


def a_room_in_a_log(truth: Truth, heard: list[Heard]) -> tuple[list[Heard], str]:
    """The same as PostgreSQL would write it, in a line about a key."""
    word = _word(truth, "the room's id with dashes")
    return [Heard(NOBODY, "log", "postgres.log", b"Key (room)=(" + word.text + b") exists")], word.what


def a_code_in_a_log(truth: Truth, heard: list[Heard]) -> tuple[list[Heard], str]:
    """What one needs to watch."""
    word = _word(truth, "the room's code")
    return [Heard(NOBODY, "log", "room.log", b'{"event":"room ' + word.text + b' was made"}')], word.what


def a_name_in_a_span(truth: Truth, heard: list[Heard]) -> tuple[list[Heard], str]:
    """Who plays."""
    word = _word(truth, "the name of a player")
    picked = next(one for one in heard if one.channel == "trace")
    return [msgspec.structs.replace(picked, data=picked.data + word.text)], word.what


def a_span_attribute(truth: Truth, heard: list[Heard]) -> tuple[list[Heard], str]:
    """A card among the bytes of an export."""
    card = _piece(truth, heard, numbered=True)
    picked = next(one for one in heard if one.channel == "trace")
    return [msgspec.structs.replace(picked, data=picked.data + b"\x0a\x04card\x12" + card.encode())], card


def the_seed(truth: Truth, heard: list[Heard]) -> tuple[list[Heard], str]:
    """In a reply to the host, who may have stated it but is not told it."""
    word = next(word for word in truth.words if word.what == "the seed")
    return [Heard("host", "http", "GET / 200", b'{"seed":' + word.text + b"}", version=5)], word.what


def a_look_of_a_bot(truth: Truth, heard: list[Heard]) -> tuple[list[Heard], str]:
    """A bot is told another seat's hand within its own view."""
    picked = next(one for one in heard if one.channel == "look" and one.audience == OTHER)
    body = msgspec.json.decode(picked.data)
    body["view"]["zones"][f"hand.{WHO}"] = ["karama"]
    return [msgspec.structs.replace(picked, data=msgspec.json.encode(body))], f"hand.{WHO} is not for {OTHER}"


def a_look_at_a_person(truth: Truth, heard: list[Heard]) -> tuple[list[Heard], str]:
    """Bots are sent a person's view."""
    picked = next(one for one in heard if one.channel == "look")
    return [msgspec.structs.replace(picked, audience=WHO)], "a seat that is none of theirs"


def a_piece_in_a_task(truth: Truth, heard: list[Heard]) -> tuple[list[Heard], str]:
    """A bot's task tells more than which question it is."""
    card = _piece(truth, heard)
    picked = next(one for one in heard if one.audience == BOTS and one.where.startswith("bot.task"))
    body = msgspec.json.decode(picked.data) | {"policy": card}
    return [msgspec.structs.replace(picked, data=msgspec.json.encode(body))], card


def a_jump_of_the_number(truth: Truth, heard: list[Heard]) -> tuple[list[Heard], str]:
    """The numbers count something that the audience was not shown."""
    where = _picked(heard, "stream").where
    mine = [one for one in heard if one.channel == "stream" and one.where == where]
    return mine[:10] + mine[11:], "the number jumps"


def a_longer_message(truth: Truth, heard: list[Heard]) -> tuple[list[Heard], str]:
    """Space that says nothing, but is as long as something hidden."""
    picked = _picked(heard, "stream")
    return [msgspec.structs.replace(picked, data=picked.data[:-1] + b"   }")], "bytes that says"


def a_header(truth: Truth, heard: list[Heard]) -> tuple[list[Heard], str]:
    """The room's inner version as an ETag."""
    picked = next(one for one in heard if one.channel == "http" and one.where.endswith("/view 200"))
    headers = picked.headers | {"etag": '"117"'}
    return [msgspec.structs.replace(picked, headers=headers)], "header etag"


PLANTS: tuple[Plant, ...] = (
    a_card_in_a_view,
    a_copy_in_a_view,
    a_face_in_another_hand,
    the_order_of_a_deck,
    a_traitor_as_a_key,
    spice_behind_a_shield,
    a_prediction,
    a_sealed_plan,
    the_flows,
    a_field_of_an_event,
    a_line_of_the_log,
    a_card_foreseen_by_another,
    an_error_text,
    a_log_line,
    a_token_in_a_log,
    a_metric_label,
    a_room_in_a_label,
    a_room_in_a_log,
    a_code_in_a_log,
    a_name_in_a_span,
    a_span_attribute,
    the_seed,
    a_look_of_a_bot,
    a_look_at_a_person,
    a_piece_in_a_task,
    a_jump_of_the_number,
    a_longer_message,
    a_header,
)
