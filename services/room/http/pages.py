"""The pages and what they are made of: templates, and a folder of files under one hash of all of them.

`/static/<hash>/<path>` never changes and is kept for a year; because the hash stands in front of the path, modules
and style sheets refer to each other by relative paths. `/static/<path>` serves the same without being kept.
"""

from __future__ import annotations

import hashlib
import mimetypes
from dataclasses import dataclass
from pathlib import Path

from fastapi import APIRouter, Request
from jinja2 import Environment, FileSystemLoader, TemplateNotFound, select_autoescape
from starlette.responses import HTMLResponse, RedirectResponse, Response

from services.room.errors import ApiError
from services.room.http.access import room_code
from services.room.web import guide
from services.room.web.bundle import facts_json

WEB = Path(__file__).resolve().parent.parent / "web"
FOREVER = "public, max-age=31536000, immutable"
TYPES = {".js": "text/javascript", ".mjs": "text/javascript", ".webmanifest": "application/manifest+json"}

router = APIRouter(include_in_schema=False)


@dataclass(frozen=True, slots=True)
class File:
    """One static file, in memory: a path that is not in the folder cannot be asked for."""

    body: bytes
    kind: str


class Site:
    """The files of `web/`, read at the start and again when one of them changes."""

    def __init__(self, root: Path = WEB) -> None:
        self._root = root
        self._stamp: tuple[tuple[str, int, int], ...] | None = None
        self.files: dict[str, File] = {}
        self.hash = ""
        self._templates = Environment(
            loader=FileSystemLoader(root / "templates"), autoescape=select_autoescape(default=True)
        )
        self._templates.filters["words"] = lambda value: value.replace("_", " ")
        self.refresh()

    def refresh(self) -> None:
        """Read the static files again if their names, sizes or times differ."""
        static = self._root / "static"
        found = sorted(path for path in static.rglob("*") if path.is_file()) if static.is_dir() else []
        stamp = tuple((str(path), path.stat().st_size, path.stat().st_mtime_ns) for path in found)
        if stamp == self._stamp:
            return
        # The facts of the game are made from the same data that the rules read, so they need no file of their own.
        facts = facts_json()
        digest = hashlib.sha256(facts)
        files = {"facts.json": File(facts, "application/json")}
        for path in found:
            name, body = path.relative_to(static).as_posix(), path.read_bytes()
            digest.update(name.encode() + b"\0" + hashlib.sha256(body).digest())
            kind = TYPES.get(path.suffix) or mimetypes.guess_type(name)[0] or "application/octet-stream"
            files[name] = File(body, kind)
        self.files, self.hash, self._stamp = files, digest.hexdigest()[:16], stamp

    def url(self, path: str) -> str:
        """The address of a static file, for templates. Raises LookupError when there is none."""
        if path not in self.files:
            raise LookupError(f"the page asks for the static file {path!r}, which does not exist")
        return f"/static/{self.hash}/{path}"

    def page(self, template: str, **values: object) -> Response:
        """One page."""
        self.refresh()
        try:
            found = self._templates.get_template(template)
        except TemplateNotFound:
            raise ApiError(404, "no_page", "This server was installed without its pages.") from None
        return HTMLResponse(found.render(static=self.url, **values))


def site(request: Request) -> Site:
    """The site of the application that a request came to."""
    found: Site = request.app.state.site
    return found


@router.get("/")
async def home(request: Request) -> Response:
    """The home page: make a room, join one, see who plays."""
    return site(request).page("home.html")


@router.get("/r/{code}")
async def room(request: Request, code: str) -> Response:
    """Lobby and table of one room. The page finds out itself whether the room exists."""
    wanted = room_code(code)
    if wanted != code:
        return RedirectResponse(f"/r/{wanted}", 308)
    return site(request).page("room.html", code=wanted)


@router.get("/rules")
async def rules(request: Request, topic: str = "nexus") -> Response:
    """A page of the rules guide; tables link to its anchors, and an anchor may be asked for as a topic of its own."""
    if page := guide.topic_of(topic):
        return RedirectResponse(f"/rules?topic={page}#{topic}", 307)
    if topic not in guide.TOPICS:
        raise ApiError(
            404, "no_topic", f"The guide has no topic {topic[:40]!r}; it has {', '.join(guide.TOPICS)}."
        )
    sections, rulings = guide.page(topic)
    values = {"topic": topic, "topics": guide.TOPICS, "title": guide.TOPICS[topic]}
    return site(request).page("rules.html", sections=sections, rulings=rulings, **values)


@router.get("/static/{path:path}")
async def static(request: Request, path: str) -> Response:
    """A static file."""
    held = site(request)
    first, _, rest = path.partition("/")
    hashed = first == held.hash and rest in held.files
    file = held.files.get(rest if hashed else path)
    if file is None:
        raise ApiError(
            404, "no_file", "There is no such file; an older page may ask for it: reload the page."
        )
    headers = {"cache-control": FOREVER if hashed else "no-cache"}
    return Response(file.body, headers=headers, media_type=file.kind)


@router.get("/favicon.ico")
async def favicon(request: Request) -> Response:
    """Browsers ask for it unasked."""
    file = site(request).files.get("favicon.svg")
    if file is None:
        return Response(status_code=204)
    return Response(file.body, media_type="image/svg+xml", headers={"cache-control": "public, max-age=86400"})
