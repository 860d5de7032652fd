"""Twelve factions can be told apart, whatever eyes look at them.

Colour distance is CIEDE2000 on CIELAB; colour blindness is simulated at full severity as Machado et al. (2009) do.
"""

from __future__ import annotations

import math
import re
from itertools import combinations
from pathlib import Path

import pytest

from shared.dune import facts

ROOT = Path(__file__).resolve().parents[3]
STATIC = ROOT / "services/room/web/static"
FLOOR = 12.0


SIMULATED = {
    "normal": ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)),
    "protan": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "deutan": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
    "tritan": (
        (1.255528, -0.076749, -0.178779),
        (-0.078411, 0.930809, 0.147602),
        (0.004733, 0.691367, 0.303900),
    ),
}
"""Full severity, on linear sRGB."""

Triple = tuple[float, float, float]


def linear(hex_colour: str) -> Triple:
    """Linear sRGB from `#rrggbb`."""
    channels = [int(hex_colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    r, g, b = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return r, g, b


def seen_by(eyes: str, colour: Triple) -> Triple:
    """The linear colour that these eyes see."""
    r, g, b = (
        min(1.0, max(0.0, sum(f * c for f, c in zip(row, colour, strict=True)))) for row in SIMULATED[eyes]
    )
    return r, g, b


def luminance(colour: Triple) -> float:
    """Relative luminance of WCAG."""
    return 0.2126 * colour[0] + 0.7152 * colour[1] + 0.0722 * colour[2]


def contrast(one: str, other: str) -> float:
    """Contrast ratio of WCAG between two colours, from 1 to 21."""
    light, dark = sorted((luminance(linear(one)), luminance(linear(other))), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def lab(colour: Triple) -> Triple:
    """CIELAB, D65."""
    r, g, b = colour
    x = (0.4124564 * r + 0.3575761 * g + 0.1804375 * b) / 0.95047
    y = 0.2126729 * r + 0.7151522 * g + 0.0721750 * b
    z = (0.0193339 * r + 0.1191920 * g + 0.9503041 * b) / 1.08883
    fx, fy, fz = (t ** (1 / 3) if t > 216 / 24389 else (24389 / 27 * t + 16) / 116 for t in (x, y, z))
    return 116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)


def ciede2000(one: Triple, other: Triple) -> float:
    """The CIEDE2000 difference of two CIELAB colours."""
    l1, a1, b1 = one
    l2, a2, b2 = other
    mean_c = (math.hypot(a1, b1) + math.hypot(a2, b2)) / 2
    g = 0.5 * (1 - math.sqrt(mean_c**7 / (mean_c**7 + 25**7)))
    a1, a2 = a1 * (1 + g), a2 * (1 + g)
    c1, c2 = math.hypot(a1, b1), math.hypot(a2, b2)
    h1, h2 = math.degrees(math.atan2(b1, a1)) % 360, math.degrees(math.atan2(b2, a2)) % 360
    dl, dc = l2 - l1, c2 - c1
    turn = (h2 - h1 + 180) % 360 - 180 if c1 * c2 else 0.0
    dh = 2 * math.sqrt(c1 * c2) * math.sin(math.radians(turn) / 2)
    ml, mc = (l1 + l2) / 2, (c1 + c2) / 2
    mh = (h1 + turn / 2) % 360 if c1 * c2 else h1 + h2
    t = (
        1
        - 0.17 * math.cos(math.radians(mh - 30))
        + 0.24 * math.cos(math.radians(2 * mh))
        + 0.32 * math.cos(math.radians(3 * mh + 6))
        - 0.20 * math.cos(math.radians(4 * mh - 63))
    )
    sl = 1 + 0.015 * (ml - 50) ** 2 / math.sqrt(20 + (ml - 50) ** 2)
    sc, sh = 1 + 0.045 * mc, 1 + 0.015 * mc * t
    rc = 2 * math.sqrt(mc**7 / (mc**7 + 25**7))
    rt = -math.sin(math.radians(60 * math.exp(-(((mh - 275) / 25) ** 2)))) * rc
    return math.sqrt((dl / sl) ** 2 + (dc / sc) ** 2 + (dh / sh) ** 2 + rt * (dc / sc) * (dh / sh))


def palette() -> dict[str, tuple[str, str]]:
    """Faction to its colour and the ink on it, as the style sheet has them."""
    text = (STATIC / "css/tokens.css").read_text("utf-8")
    rows = re.findall(r"\.f-(\w+) \{ --f: (#[0-9a-f]{6}); --ink: (#[0-9a-f]{6}); \}", text)
    return {faction: (fill, ink) for faction, fill, ink in rows}


def test_every_faction_has_a_colour_a_sign_and_two_letters_of_its_own() -> None:
    factions = set(facts.factions())
    assert set(palette()) == factions
    letters = dict(re.findall(r"(\w+): '([A-Z]{2})'", (STATIC / "js/facts.js").read_text("utf-8")))
    assert set(letters) == factions
    assert len(set(letters.values())) == len(factions)
    glyphs = dict(re.findall(r"^  (\w+): '(M[^']+)'", (STATIC / "js/glyphs.js").read_text("utf-8"), re.M))
    assert set(glyphs) == factions
    assert len(set(glyphs.values())) == len(factions)


@pytest.mark.parametrize("eyes", ["normal", "protan", "deutan", "tritan"])
def test_colours_keep_their_distance(eyes: str) -> None:
    seen = {name: lab(seen_by(eyes, linear(fill))) for name, (fill, _) in palette().items()}
    near = {(a, b): ciede2000(seen[a], seen[b]) for a, b in combinations(sorted(seen), 2)}
    worst = min(near, key=lambda pair: near[pair])
    assert near[worst] >= FLOOR, f"{worst} are only {near[worst]:.1f} apart to {eyes} eyes"


def test_ink_can_be_read_on_its_colour() -> None:
    for faction, (fill, ink) in palette().items():
        ratio = contrast(fill, ink)
        assert ratio >= 4.5, f"{faction}: {ratio:.2f}"


def test_the_distance_is_the_published_one() -> None:
    """Pairs from Sharma, Wu and Dalal's test data for CIEDE2000."""
    rows = [
        ((50.0, 2.6772, -79.7751), (50.0, 0.0, -82.7485), 2.0425),
        ((50.0, 2.5, 0.0), (73.0, 25.0, -18.0), 27.1492),
        ((60.2574, -34.0099, 36.2677), (60.4626, -34.1751, 39.4387), 1.2644),
        ((2.0776, 0.0795, -1.135), (0.9033, -0.0636, -0.5514), 0.9082),
    ]
    for one, other, expected in rows:
        assert ciede2000(one, other) == pytest.approx(expected, abs=2e-4)
