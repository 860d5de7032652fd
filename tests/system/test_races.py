"""Many hands at one table: whatever comes at once, at whichever replica, has one outcome; the others hear why not."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from typing import Any
from uuid import uuid4

import httpx
import pytest

from services.bot.policies import policy
from services.bot.policies.base import chance_of
from services.embedded import Deployment
from services.verifier.room import Room
from shared.dune.offers import Offer
from shared.dune.views import SeatView
from tests.system.doors import Doors, commands, refused, stored, whole

pytestmark = pytest.mark.slow

SIX = ("atreides", "bene_gesserit", "emperor", "fremen", "guild", "harkonnen")


def table(sietch: Deployment, seats: tuple[str, ...], seed: int, last_turn: int = 3) -> Room:
    """A running game of persons alone."""
    room = Room(sietch.url, seats=len(seats), last_turn=last_turn)
    for faction in seats:
        room.sit(faction)
    room.start(seed)
    return room


def asked_now(room: Room) -> list[tuple[str, SeatView, Offer]]:
    """Every seat that is asked something, and what."""
    found = ((seat, room.asked(seat)) for seat in room.tokens)
    return [(seat, *asked) for seat, asked in found if asked]


def said(seen: SeatView, offer: Offer, name: str = "easy") -> Any:
    """What a bot would answer."""
    return policy(name).decide(seen, offer, chance_of(seen, offer))


async def act(
    doors: Doors, door: int, room: Room, seat: str, offer: str, answer: Any, command: str
) -> httpx.Response:
    """One answer at one replica, sent once."""
    body = {"command_id": command, "offer": offer, "answer": answer}
    return await doors.call(door, "POST", f"/rooms/{room.code}/actions", body, room.tokens[seat])


def taken(reply: httpx.Response) -> bool:
    """Whether an answer was accepted; if not it came too late, and is told so."""
    if reply.status_code == 200:
        assert reply.json() == {"ok": True}
        return True
    assert refused(reply, 409) == "stale"
    return False


@pytest.mark.parametrize("same", [True, False], ids=["the same answer", "different answers"])
async def test_two_answers_to_one_offer_at_once(pair: Deployment, same: bool) -> None:
    chance = random.Random(same)
    async with Doors(pair) as doors:
        with table(pair, SIX[:3], 5) as room:
            raced = 0
            for _ in range(60):
                now = asked_now(room)
                if not now:
                    break
                seat, seen, offer = chance.choice(now)
                first, second = said(seen, offer), said(seen, offer, "easy" if same else "random")
                before = commands(pair, room.code)
                ids = [str(uuid4()), str(uuid4())]
                replies = await asyncio.gather(
                    act(doors, 0, room, seat, offer.id, first, ids[0]),
                    act(doors, 1, room, seat, offer.id, second, ids[1]),
                )
                told = [taken(reply) for reply in replies]
                new = commands(pair, room.code)[len(before) :]
                assert set(new) == {id_ for id_, yes in zip(ids, told, strict=True) if yes}
                assert len(new) == len(set(new)) >= 1
                if not offer.window:  # until a window closes, its answers can be changed [WINPOL-09]
                    assert told.count(True) == 1, offer.kind
                    raced += 1
            assert raced > 5
    whole(pair)


async def test_six_seats_at_once_each_answering_twice_at_both_doors(pair: Deployment) -> None:
    """A whole game, in which nobody ever waits for the others: what is told is exactly what is stored."""
    widths: Counter[int] = Counter()
    async with Doors(pair) as doors:
        with table(pair, SIX, 8, last_turn=2) as room:
            accepted: list[str] = commands(pair, room.code)
            for _ in range(400):
                now = asked_now(room)
                if not now:
                    break
                tries = [
                    (door, seat, offer.id, said(seen, offer), str(uuid4()))
                    for seat, seen, offer in now
                    for door in (0, 1)
                ]
                replies = await asyncio.gather(
                    *(act(doors, door, room, *rest) for door, *rest in tries)  # type: ignore[arg-type]
                )
                told = [try_[4] for try_, reply in zip(tries, replies, strict=True) if taken(reply)]
                assert told, "somebody's answer is the first"
                accepted += told
                widths[len(now)] += 1
            assert room.over()
            assert sorted(commands(pair, room.code)) == sorted(accepted)
            await closed(doors, pair, room)
    assert sum(count for width, count in widths.items() if width >= 4) >= 3, widths
    whole(pair)


async def closed(doors: Doors, sietch: Deployment, room: Room) -> None:
    """After the end nothing can be answered, and nothing changes."""
    before = stored(sietch)
    for number in range(4):
        for door in range(len(doors)):
            late = await act(doors, door, room, SIX[0], f"{SIX[0]}-{number}", {}, str(uuid4()))
            assert refused(late, 409) == "stale"
    assert refused(await doors.call(0, "POST", f"/rooms/{room.code}/start", {}, room.host), 409) == "started"
    assert refused(await doors.call(1, "POST", f"/rooms/{room.code}/seats", {"name": "late"}), 409)
    assert stored(sietch) == before


async def test_stale_foreign_and_invented_offers(pair: Deployment) -> None:
    async with Doors(pair) as doors:
        with table(pair, SIX[:2], 3) as room, table(pair, SIX[:2], 4) as other:
            answered: list[tuple[str, str, Any]] = []
            for _ in range(12):
                seat, seen, offer = asked_now(room)[0]
                answer = said(seen, offer)
                assert taken(await act(doors, 0, room, seat, offer.id, answer, str(uuid4())))
                answered.append((seat, offer.id, answer))
            seat, seen, offer = asked_now(room)[0]
            shown = {
                shown["id"] for name in room.tokens for shown in room.whole(name)["view"].get("offers", ())
            }
            closed_ = [one for one in answered if one[1] not in shown]  # a window's answer can be changed
            assert len(closed_) > 8
            rival = next(name for name in room.tokens if name != seat)
            before = stored(pair)
            for who, id_, answer in closed_:
                assert not taken(await act(doors, 1, room, who, id_, answer, str(uuid4())))
            assert not taken(await act(doors, 0, room, rival, offer.id, said(seen, offer), str(uuid4())))
            for invented in (
                f"{seat}-99999",
                "",
                " ",
                "x" * 200,
                "x" * 201,
                "\u202e",
                "../..",
                f"{offer.id} ",
            ):
                reply = await act(doors, 0, room, seat, invented, {}, str(uuid4()))
                assert refused(reply, 400, 409) in ("malformed", "stale")
            body = {"command_id": str(uuid4()), "offer": offer.id, "answer": said(seen, offer)}
            path = f"/rooms/{room.code}/actions"
            foreign = await doors.call(0, "POST", path, body, other.tokens[seat])
            assert refused(foreign, 401) == "no_token"
            assert stored(pair) == before
            assert taken(await doors.call(1, "POST", path, body, room.tokens[seat]))


async def repeats(doors: Doors, sietch: Deployment, room: Room, done: tuple[str, str, Any, str]) -> None:
    """A command that was accepted: its repeat hears the same, anything else under its id is a conflict."""
    seat, offer, answer, command = done
    before = stored(sietch)
    replies = await asyncio.gather(
        *(act(doors, door, room, seat, offer, answer, command) for door in range(2) for _ in range(4))
    )
    assert {reply.content for reply in replies} == {b'{"ok":true}'}
    rival = next(name for name in room.tokens if name != seat)
    for door in range(2):
        for who, id_, given in (
            (seat, offer, {"else": 1}),
            (seat, f"{seat}-9999", answer),
            (rival, offer, answer),
            (rival, f"{rival}-0", {}),
        ):
            used = await act(doors, door, room, who, id_, given, command)
            assert refused(used, 409) == "command_used"
    assert stored(sietch) == before


async def test_a_repeated_command_acts_once_whatever_was_restarted_meanwhile(pair: Deployment) -> None:
    with table(pair, SIX[:3], 6) as room:
        seat, seen, offer = asked_now(room)[0]
        answer, command = said(seen, offer), str(uuid4())
        async with Doors(pair) as doors:
            first = await asyncio.gather(
                *(
                    act(doors, door, room, seat, offer.id, answer, command)
                    for door in range(2)
                    for _ in range(6)
                )
            )
            assert {reply.content for reply in first} == {b'{"ok":true}'}
            assert commands(pair, room.code).count(command) == 1
            done = (seat, offer.id, answer, command)
            await repeats(doors, pair, room, done)
            (one, seen, offer), *_ = asked_now(room)
            assert taken(await act(doors, 1, room, one, offer.id, said(seen, offer), str(uuid4())))
            await repeats(doors, pair, room, done)
        await asyncio.to_thread(restart, pair)
        async with Doors(pair) as doors:
            await repeats(doors, pair, room, done)
            # The id is this room's own: elsewhere it is a new one.
            with table(pair, SIX[:3], 6) as other:
                assert taken(await act(doors, 0, other, *done))
    whole(pair)


def restart(sietch: Deployment) -> None:
    """Kill every service and both servers, all of them before any comes back."""
    for name, replicas in sietch.children.items():
        for index in range(len(replicas)):
            sietch.kill(name, index, restart=False)
    for name in ("nats", "postgres"):
        sietch.kill(name)
    for name in ("nats", "postgres"):
        sietch.start(name)
    for replicas in sietch.children.values():
        for child in replicas:
            child.start()
    sietch.wait_ready()


async def test_a_lobby_that_everybody_changes_while_it_starts(pair: Deployment) -> None:
    async with Doors(pair) as doors:
        for round_ in range(8):
            await one_lobby(doors, pair, round_)
    whole(pair)


async def one_lobby(doors: Doors, sietch: Deployment, round_: int) -> None:
    with Room(sietch.url, seats=6) as room:
        room.sit("atreides")
        room.sit("guild")
        path, host = f"/rooms/{room.code}", room.host
        joins = [
            doors.call(n, "POST", f"{path}/seats", {"name": f"P{n}", "faction": "fremen"}) for n in (0, 1)
        ]
        joins += [doors.call(n, "POST", f"{path}/seats", {"name": f"Q{n}"}) for n in range(4)]
        starts = [doors.call(n, "POST", f"{path}/start", {"force": True}, host) for n in range(3)]
        others = [
            doors.call(0, "POST", f"{path}/bots", {}, host),
            doors.call(1, "PATCH", f"{path}/settings", {"last_turn": 5}, host),
            doors.call(0, "PATCH", f"{path}/seats/2", {"faction": "emperor"}, room.tokens["guild"]),
        ]
        calls = [*joins, *starts, *others]
        random.Random(round_).shuffle(calls)
        replies = await asyncio.gather(*calls)
        started = [reply for reply in replies if str(reply.url).endswith("/start")]
        assert sorted(reply.status_code for reply in started) == [200, 409, 409], [r.text for r in started]
        for reply in replies:
            assert reply.status_code in (200, 201) or refused(reply, 409)
        joined = [r.json() for r in replies if str(r.url).endswith("/seats") and r.status_code == 201]
        assert len({one["seat"] for one in joined}) == len(joined)
        state = room.call("GET", room.path).json()
        sitting = {seat["seat"]: seat["faction"] for seat in state["seats"] if seat["kind"] != "open"}
        assert len(set(sitting.values())) == len(sitting), "each has a faction of its own"
        for one in joined:
            view = await doors.call(1, "GET", f"{path}/view", token=one["token"])
            assert view.json()["view"]["seat"] == sitting[one["seat"]]


GATE = "window.nexus.guild_payment"
PAYMENT: dict[str, Any] = {
    "modules": ["nexus"],
    "seats": ["harkonnen", "emperor", "guild", "bene_gesserit"],
    "circles": [4, 7, 10, 13],
    "phase": "shipment",
    "storm": 2,
    "discard": {"treachery": ["karama", "karama"]},
    "harkonnen": {"spice": 10},
    "emperor": {"spice": 1, "nexus": "guild"},
    "bene_gesserit": {"spice": 1, "nexus": "ecaz"},
    "guild": {"spice": 5},
}
SHIP = {"do": "ship", "forces": {"from": {"reserves": {"regular": 3}}, "to": "carthag:10"}}


class Staged:
    """A staged room whose shipment is about to be paid: its seats' tokens, and what is open to each."""

    def __init__(self, doors: Doors, made: dict[str, Any]) -> None:
        self._doors, self.code, self.tokens, self._host = (
            doors,
            made["code"],
            made["seats"],
            made["host_token"],
        )

    async def act(self, door: int, seat: str, offer: str, answer: Any, command: str = "") -> httpx.Response:
        body = {"command_id": command or str(uuid4()), "offer": offer, "answer": answer}
        return await self._doors.call(door, "POST", f"/rooms/{self.code}/actions", body, self.tokens[seat])

    async def asked(self, seat: str, token: str = "") -> dict[str, str]:
        """The ids of the questions open to a seat, by kind."""
        path = f"/rooms/{self.code}/view"
        seen = (await self._doors.call(0, "GET", path, token=token or self.tokens[seat])).json()["view"]
        return {offer["kind"]: offer["id"] for offer in seen.get("offers", ())}

    async def truth(self) -> tuple[dict[str, int], list[str]]:
        """Who has how much spice, and the names of all events."""
        told = (
            await self._doors.call(0, "GET", f"/rooms/{self.code}/table?after=0", token=self._host)
        ).json()
        return told["table"]["spice"], [event["event"] for event in told["events"]]


async def at_the_gate(doors: Doors) -> Staged:
    staged = Staged(doors, (await doors.call(0, "POST", "/scenarios", {"table": PAYMENT})).json())
    ship = (await staged.asked("harkonnen"))["ship"]
    assert taken(await staged.act(0, "harkonnen", ship, SHIP))
    return staged


async def test_a_use_against_the_last_pass_and_everything_twice(pair: Deployment) -> None:
    """At a gate, in any order, at both doors: one outcome and one spend. [NEXUS-52, EX-GUILD-29, EX-NX-14]"""
    chance, ways = random.Random(4), Counter[str]()
    use, no = {"do": "nexus_take_payment"}, {"do": "pass"}
    async with Doors(pair) as doors:
        for _ in range(12):
            room = await at_the_gate(doors)
            seats = ("emperor", "bene_gesserit")
            open_ = {seat: (await room.asked(seat))[GATE] for seat in seats}
            once = str(uuid4())
            tries = [
                ("emperor", use, once),
                ("emperor", use, once),
                ("emperor", use, ""),
                ("emperor", no, ""),
            ]
            tries += [("bene_gesserit", no, ""), ("bene_gesserit", no, ""), ("bene_gesserit", use, "")]
            chance.shuffle(tries)
            replies = await asyncio.gather(
                *(room.act(i % 2, seat, open_[seat], said, id_) for i, (seat, said, id_) in enumerate(tries))
            )
            for reply in replies:
                assert reply.status_code in (200, 409, 422), reply.text
            spice, names = await room.truth()
            used = names.count("NexusCardPlayed")
            assert names.count("SpicePaid") == 1 and used in (0, 1)
            assert (spice["harkonnen"], spice["emperor"], spice["guild"]) == (
                (7, 4, 5) if used else (7, 1, 8)
            )
            ways["used" if used else "passed"] += 1
            for seat, id_ in open_.items():
                assert refused(await room.act(1, seat, id_, use if seat == "emperor" else no), 409) == "stale"
    assert set(ways) == {"used", "passed"}, ways
    whole(pair)


async def test_a_program_plays_a_seat_for_a_while_and_the_gate_stays(pair: Deployment) -> None:
    """Its owner lets it in and shuts it out while the gate waits; the question is the same one. [NEXUS-65]"""
    async with Doors(pair) as doors:
        room = await at_the_gate(doors)
        before = await room.asked("emperor")
        path = f"/rooms/{room.code}/seats/2/tokens"
        made = (await doors.call(0, "POST", path, {"scope": "seat:play"}, room.tokens["emperor"])).json()
        assert await room.asked("emperor", made["token"]) == before == await room.asked("emperor")
        gone = await doors.call(1, "DELETE", f"{path}/{made['id']}", token=room.tokens["emperor"])
        assert gone.status_code == 200
        assert refused(await doors.call(0, "GET", f"/rooms/{room.code}/view", token=made["token"]), 401)
        assert await room.asked("emperor") == before
        assert taken(await room.act(0, "emperor", before[GATE], {"do": "nexus_take_payment"}))
        spice, names = await room.truth()
        assert spice["emperor"] == 4 and names.count("NexusCardPlayed") == 1
