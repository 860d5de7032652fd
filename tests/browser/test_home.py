"""The first page in a real Chromium: what is being played."""

from __future__ import annotations

import re
from collections.abc import Callable

import httpx
from playwright.sync_api import Page, expect

from services.embedded.deployment import Deployment


def test_the_directory_tells_how_far_a_game_is(sietch: Deployment, open_page: Callable[..., Page]) -> None:
    with httpx.Client(base_url=sietch.url, timeout=60) as http:
        wish = {"name": "Two bots", "settings": {"seats": 2, "last_turn": 1}}
        made = http.post("/api/rooms", json=wish).json()
        path, host = f"/api/rooms/{made['code']}", {"Authorization": f"Bearer {made['host_token']}"}
        for _ in range(2):
            assert http.post(f"{path}/bots", json={}, headers=host).status_code == 201
        assert http.post(f"{path}/start", json={}, headers=host).status_code == 200
        page = open_page("/")
        room = page.locator(".rooms li", has_text="Two bots")
        expect(room.locator(".room-facts")).to_contain_text(re.compile(r"turn 1, [A-Z]|over in turn 1"))
        expect(room.locator(".tag")).to_have_text(re.compile("being played|over"))
