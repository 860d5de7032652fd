"""What the page is given: the map fits the board, names are complete, and nothing is loaded from elsewhere."""

from __future__ import annotations

import json
import re
from pathlib import Path

import msgspec

from services.room.web import map_drawing
from services.room.web.bundle import facts_json
from services.rules.engine.explaining import topics
from services.rules.engine.loader import load_rules
from services.rules.engine.windows import reactions
from shared.dune import facts, needs, shapes

STATIC = Path(__file__).resolve().parents[3] / "services/room/web/static"
IMPORT = re.compile(r"""(?:\bfrom\s*|^import\s*)['"]([./\w][^'"]*)['"];""", re.M)
SVG_PATH = re.compile(r"M-?[\d.]+,-?[\d.]+(?:[QL](?:-?[\d.]+,-?[\d.]+ ?){1,2})+Z")


def test_every_territory_has_an_outline_and_every_location_a_place_for_tokens() -> None:
    bundle = json.loads(facts_json())
    assert set(bundle["territories"]) == set(facts.territories())
    assert set(bundle["places"]) == set(facts.locations())
    for name, territory in bundle["territories"].items():
        assert SVG_PATH.fullmatch(territory["path"]), name
    for place in bundle["places"].values():
        x, y = place["at"]
        assert x * x + y * y < 1


def test_neighbours_share_their_border_to_the_last_digit() -> None:
    """A border is bent once for both sides, so no gap opens between them. [MAP-01]"""
    paths = map_drawing.territory_paths()
    curves: dict[str, int] = {}
    for path in paths.values():
        for point in set(re.findall(r"Q(-?[\d.]+,-?[\d.]+)", path)):
            curves[point] = curves.get(point, 0) + 1
    inner = [point for point in curves if not _on_rim(point)]
    alone = [point for point in inner if curves[point] == 1]
    assert len(alone) <= len(inner) * 0.02, f"{len(alone)} of {len(inner)} points belong to one outline only"


def _on_rim(point: str) -> bool:
    x, y = map(float, point.split(","))
    return x * x + y * y > 0.97**2


def test_the_names_of_all_cards_leaders_and_factions_are_there() -> None:
    bundle = json.loads(facts_json())
    for card in facts.treachery_cards().values():
        assert bundle["cards"][card.id]["name"] == card.name
        assert bundle["cards"][card.id]["effect"], card.id
    assert set(bundle["leaders"]) == set(facts.leaders())
    assert set(bundle["factions"]) == set(facts.factions())
    assert bundle["forces"]["advisor"] == {"one": "advisor", "many": "advisors", "stays": True}


def test_each_shape_of_choice_has_a_widget_and_a_check() -> None:
    tags = {msgspec.inspect.type_info(kind).tag for kind in shapes.Shape.__args__}  # type: ignore[attr-defined]
    registry = (STATIC / "js/widgets/registry.js").read_text("utf-8")
    widgets = set(re.findall(r"^  (\w+): \w+,$", registry, re.M))
    assert widgets == tags
    checks = (
        (STATIC / "js/choice.js").read_text("utf-8").partition("const CHECKS = {")[2].partition("\n};")[0]
    )
    assert set(re.findall(r"^  (\w+)\(shape, value\)", checks, re.M)) == tags


def test_each_need_that_ties_fields_is_checked_by_the_page() -> None:
    """An unknown need would pass in the form and be refused by the server."""
    tags = {msgspec.inspect.type_info(kind).tag for kind in needs.Need.__args__}  # type: ignore[attr-defined]
    holds = (STATIC / "js/choice.js").read_text("utf-8").partition("function holds(")[2].partition("\n}\n")[0]
    assert set(re.findall(r"case '(\w+)'", holds)) == tags


def test_the_page_asks_why_of_every_topic_and_of_questions_that_there_are() -> None:
    """A topic that the page does not know could be asked for by nobody."""
    load_rules()
    text = (STATIC / "js/why.js").read_text("utf-8")
    names, kinds = (
        text.partition(f"const {name} = {{")[2].partition("\n};")[0] for name in ("TOPICS", "OF_KIND")
    )
    named = set(re.findall(r"(?:'([^']+)'|\b(\w+)): '", names))
    assert {quoted or plain for quoted, plain in named} == set(topics())
    asked = dict(re.findall(r"(\w+): '([^']+)'", kinds))
    assert asked and set(asked.values()) <= set(topics())
    document = (STATIC.parents[3] / "docs/cases.md").read_text("utf-8")
    assert set(asked) <= set(re.findall(r"^### `(\w+)`", document, re.M))


def test_each_question_about_a_nexus_card_has_a_title() -> None:
    """The words of its id, Ride or Worm, would not say what goes on."""
    load_rules()
    text = (STATIC / "js/phrases.js").read_text("utf-8")
    titles = text.partition("const NEXUS = {")[2].partition("\n};")[0]
    kinds = {
        kind for reaction in reactions().values() for kind in reaction.kinds if kind.startswith("nexus.")
    }
    assert {f"nexus.{name}" for name in re.findall(r"(\w+): '", titles)} == kinds


def test_pages_load_nothing_from_elsewhere_and_run_nothing_inline() -> None:
    for path in STATIC.rglob("*"):
        if path.suffix in (".js", ".css", ".svg"):
            text = path.read_text("utf-8")
            found = [url for url in re.findall(r"https?://[^\s\"'`)]+", text) if "www.w3.org/" not in url]
            assert not found, f"{path.name}: {found}"
    for page in STATIC.parent.joinpath("templates").glob("*.html"):
        text = page.read_text("utf-8")
        assert not re.search(r"<script(?![^>]*\bsrc=)", text), page.name
        assert " style=" not in text, page.name
        assert not re.search(r"\son\w+=", text), page.name


def test_imports_of_modules_are_relative_and_lead_to_a_file() -> None:
    for path in STATIC.rglob("*.js"):
        for target in IMPORT.findall(path.read_text("utf-8")):
            assert target.startswith("."), f"{path.name} imports {target}"
            assert (path.parent / target).resolve().is_file(), f"{path.name} imports {target}"
