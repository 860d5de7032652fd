"""Many hands at one table: whatever comes at once has one outcome, and the others hear why not."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any
from uuid import uuid4

import httpx

from services.bot.policies import policy
from services.bot.policies.base import chance_of
from services.verifier.plan import Run
from services.verifier.replies import code_of, short
from services.verifier.room import Room
from shared.dune.offers import Offer
from shared.dune.views import SeatView

SIX = ("atreides", "bene_gesserit", "emperor", "fremen", "guild", "harkonnen")
Asked = tuple[str, SeatView, Offer]


def check(run: Run) -> None:
    """One part after another."""
    parts: tuple[Callable[[Run], None], ...] = (_two_answers, _six_at_once, _one_command, _offers, _lobbies)
    for done, part in enumerate(parts):
        run.step(done, len(parts), part.__name__.strip("_").replace("_", " "))
        part(run)


def at_once(calls: Sequence[Callable[[], httpx.Response]]) -> list[httpx.Response]:
    """All of these begun at the same moment; their replies in order."""
    line = threading.Barrier(len(calls))

    def go(call: Callable[[], httpx.Response]) -> httpx.Response:
        line.wait(30)
        return call()

    with ThreadPoolExecutor(len(calls)) as pool:
        return list(pool.map(go, calls))


def table(run: Run, seats: Sequence[str], last_turn: int = 1) -> Room:
    """A running game of persons alone."""
    room = run.room(seats=len(seats), last_turn=last_turn)
    for faction in seats:
        room.sit(faction)
    room.start(run.plan.seed if run.plan.scenarios else None)
    return room


def asked_now(room: Room) -> list[Asked]:
    """Every seat that is asked something, and what."""
    return [(seat, *found) for seat in room.tokens if (found := room.asked(seat))]


def said(seen: SeatView, offer: Offer, name: str = "easy") -> Any:
    """What a bot would answer."""
    return policy(name).decide(seen, offer, chance_of(seen, offer))


def _taken(run: Run, reply: httpx.Response, where: str) -> bool:
    """Whether an answer was accepted; if not it came too late, and is told so."""
    if reply.status_code == 200:
        run.count("accepted")
        return True
    stale = reply.status_code == 409 and code_of(reply) == "stale"
    run.expect(stale, f"{reply.status_code} {short(reply)}", where, "200, or 409 stale")
    return False


def _two_answers(run: Run) -> None:
    """Two answers to one offer: one of them is the answer."""
    rounds = 12 if run.plan.quick else 60
    room = table(run, SIX[:3])
    accepted = 0
    for number in range(rounds):
        now = asked_now(room)
        if not now:
            break
        seat, seen, offer = now[0]
        answers = said(seen, offer), said(seen, offer, "easy" if number % 2 else "random")
        ids = [str(uuid4()) for _ in answers]
        pairs = zip(answers, ids, strict=True)
        replies = at_once([partial(room.act, seat, offer.id, answer, id_) for answer, id_ in pairs])
        told = [_taken(run, reply, f"two answers at once to {offer.kind}") for reply in replies]
        accepted += sum(told)
        if not offer.window:  # until a window closes, its answers can be changed [WINPOL-09]
            run.expect(
                sum(told) == 1,
                f"{sum(told)} accepted",
                f"two answers at once to {offer.kind}",
                "one accepted",
            )
        run.count("races")
    _as_many(run, room, accepted)


def _six_at_once(run: Run) -> None:
    """A whole game in which nobody waits for the others, each answering twice."""
    room = table(run, SIX)
    accepted = 0
    for _ in range(15 if run.plan.quick else 400):
        run.tick()
        now = asked_now(room)
        if not now:
            break
        calls = [
            partial(room.act, seat, offer.id, said(seen, offer), str(uuid4()))
            for seat, seen, offer in now * 2
        ]
        told = [_taken(run, reply, "six seats at once") for reply in at_once(calls)]
        run.expect(any(told), "nobody was accepted", "six seats at once", "somebody's answer is the first")
        accepted += sum(told)
        run.count("races")
    _as_many(run, room, accepted)
    for number in range(3):
        late = room.act(SIX[0], f"{SIX[0]}-{number}", {})
        if room.over():
            _taken(run, late, "an answer after the end")


def _as_many(run: Run, room: Room, accepted: int) -> None:
    """As many commits as were accepted: nothing is lost, nothing acts twice. Only a finished game tells."""
    if room.over():
        room.promises.finished(room.code)
        commits = len(room.history())
        what = f"{commits} commits, {accepted} accepted"
        run.expect(
            commits == accepted + 1, what, "the history of a raced game", "one for each, and the first"
        )


def _one_command(run: Run) -> None:
    """One command at many hands at once, and again later: it acts once; its id is good for nothing else."""
    room = table(run, SIX[:3])
    seat, seen, offer = asked_now(room)[0]
    answer, command = said(seen, offer), str(uuid4())
    for _ in range(2):
        replies = at_once([partial(room.act, seat, offer.id, answer, command)] * 12)
        for reply in replies:
            same = (reply.status_code, reply.content) == (200, b'{"ok":true}')
            run.expect(
                same, f"{reply.status_code} {short(reply)}", "one command many times", "its one outcome"
            )
        views = [room.whole(name) for name in room.tokens]
        rival = next(name for name in room.tokens if name != seat)
        for who, id_, given in (
            (seat, offer.id, {"else": 1}),
            (seat, f"{seat}-9999", answer),
            (rival, offer.id, answer),
            (rival, f"{rival}-0", {}),
        ):
            body = {"command_id": command, "offer": id_, "answer": given}
            used = room.call("POST", f"{room.path}/actions", body, room.tokens[who])
            right = used.status_code == 409 and code_of(used) == "command_used"
            run.expect(right, f"{used.status_code} {short(used)}", "a used command id", "409 command_used")
        after = [room.whole(name) for name in room.tokens]
        run.expect(after == views, "a view changed", "repeats of a command", "nothing changes")
        if now := asked_now(room):
            one, seen_, other = now[0]
            room.act(one, other.id, said(seen_, other))


def _offers(run: Run) -> None:
    """Closed, foreign and invented offers; tokens of another room."""
    room, other = table(run, SIX[:2]), table(run, SIX[:2])
    answered: list[tuple[str, str, Any]] = []
    for _ in range(12):
        seat, seen, offer = asked_now(room)[0]
        answer = said(seen, offer)
        _taken(run, room.act(seat, offer.id, answer), f"an answer to {offer.kind}")
        answered.append((seat, offer.id, answer))
    seat, seen, offer = asked_now(room)[0]
    rival = next(name for name in room.tokens if name != seat)
    before = [room.whole(name) for name in room.tokens]
    open_ = {shown["id"] for whole in before for shown in whole["view"].get("offers", ())}
    # A window's answer can be changed until it closes.
    tries = [(who, id_, answer) for who, id_, answer in answered if id_ not in open_]
    tries += [(rival, offer.id, said(seen, offer))]
    tries += [
        (seat, name, {}) for name in (f"{seat}-99999", " ", "x" * 200, "\u202e", "../..", f"{offer.id} ")
    ]
    for who, id_, given in tries:
        reply = room.act(who, id_, given)
        stale = reply.status_code == 409 and code_of(reply) == "stale"
        run.expect(stale, f"{reply.status_code} {short(reply)}", f"an answer to {id_[:30]!r}", "409 stale")
    body = {"command_id": str(uuid4()), "offer": offer.id, "answer": said(seen, offer)}
    foreign = room.call("POST", f"{room.path}/actions", body, other.tokens[seat])
    what = f"{foreign.status_code} {short(foreign)}"
    run.expect(foreign.status_code == 401, what, "a token of another room", "401")
    after = [room.whole(name) for name in room.tokens]
    run.expect(after == before, "a view changed", "answers to what is not open", "nothing changes")


def _lobbies(run: Run) -> None:
    """A lobby that everybody changes while it starts."""
    for number in range(2 if run.plan.quick else 6):
        _one_lobby(run, number)


def _one_lobby(run: Run, number: int) -> None:
    room = run.room(seats=6)
    room.sit("atreides")
    room.sit("guild")
    path, host, guild = room.path, room.host, room.tokens["guild"]
    joins = [
        partial(room.call, "POST", f"{path}/seats", {"name": "P", "faction": "fremen"}) for _ in range(2)
    ]
    joins += [partial(room.call, "POST", f"{path}/seats", {"name": f"Q{n}"}) for n in range(4)]
    starts = [partial(room.call, "POST", f"{path}/start", {"force": True}, host) for _ in range(3)]
    others = [
        partial(room.call, "POST", f"{path}/bots", {}, host),
        partial(room.call, "PATCH", f"{path}/settings", {"last_turn": 5}, host),
        partial(room.call, "PATCH", f"{path}/seats/2", {"faction": "emperor"}, guild),
    ]
    calls = [*joins, *starts, *others]
    run.chance(f"lobby:{number}").shuffle(calls)
    replies = at_once(calls)
    begun = sorted(reply.status_code for call, reply in zip(calls, replies, strict=True) if call in starts)
    run.expect(begun == [200, 409, 409], f"{begun}", "three starts at once", "[200, 409, 409]")
    for reply in replies:
        right = reply.status_code in (200, 201, 409)
        run.expect(right, f"{reply.status_code} {short(reply)}", "a lobby that starts", "200, 201 or 409")
    joined = [r.json() for c, r in zip(calls, replies, strict=True) if c in joins and r.status_code == 201]
    seats = [one["seat"] for one in joined]
    run.expect(len(set(seats)) == len(seats), f"seats {seats}", "joins at once", "a seat for each")
    state = room.call("GET", path).json()
    sitting = {seat["seat"]: seat["faction"] for seat in state["seats"] if seat["kind"] != "open"}
    run.expect(
        len(set(sitting.values())) == len(sitting), f"{sitting}", "factions dealt", "one for each seat"
    )
    for one in joined:
        mine = room.call("GET", f"{path}/view", token=one["token"]).json()["view"]["seat"]
        run.expect(
            mine == sitting[one["seat"]], f"{mine}", "a seat's own view", f"that of {sitting[one['seat']]}"
        )
    run.count("lobbies")
