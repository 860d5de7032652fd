"""What any visitor meets: health, headers, the API document, pages and static files; and what nobody may meet."""

from __future__ import annotations

import hashlib
import re
from urllib.parse import urlsplit

import httpx
import msgspec

from services.verifier.plan import Run
from services.verifier.replies import short
from shared.wire.chain import canonical

HEADERS = {
    "content-security-policy": r"(?=.*default-src 'none')(?=.*script-src 'self'(;|$))(?=.*frame-ancestors 'none')"
    r"(?!.*unsafe)(?!.*\*)",
    "x-content-type-options": r"nosniff$",
    "referrer-policy": r"(no-referrer|same-origin)$",
    "cross-origin-opener-policy": r"same-origin$",
    "cross-origin-resource-policy": r"same-origin$",
    "permissions-policy": r"(?=.*camera=\(\))(?=.*microphone=\(\))(?=.*geolocation=\(\))",
    "cache-control": r".",
}
"""Every reply's headers: what each must say at least."""
VISITED = ("/", "/api/limits", "/api/rooms", "/api/rooms/ZZZZZZ", "/api/nothing", "/r/ZZZZZZ", "/static/none")
CLOSED = (
    "/metrics",
    "/docs",
    "/redoc",
    "/openapi.json",
    "/.env",
    "/static/../app.py",
    "/static/%2e%2e/app.py",
)
"""Nothing may be at the players' door under these."""
LINKS = re.compile(r"""(?:src|href)=["'](/[^"'#]*)["']""")
PARTS = 6


def check(run: Run) -> None:
    """Look at all of it."""
    client = run.client()
    parts = (_healthy, _headers, _closed, _document, _pages, _foreign)
    for done, part in enumerate(parts):
        run.step(done, len(parts), part.__name__.strip("_"))
        part(run, client)


def _healthy(run: Run, client: httpx.Client) -> None:
    for path in ("/livez", "/readyz"):
        reply = client.get(path)
        run.expect(reply.status_code == 200, f"{reply.status_code} {short(reply)}", f"GET {path}", "200")


def _headers(run: Run, client: httpx.Client) -> None:
    for path in VISITED:
        reply = client.get(path)
        for name, wanted in HEADERS.items():
            said = reply.headers.get(name, "")
            run.expect(
                re.match(wanted, said), f"{name}: {said or 'missing'}", f"GET {path}", f"{name} as {wanted}"
            )
        if path.startswith("/api/"):
            said = reply.headers.get("cache-control", "")
            run.expect("no-store" in said, f"cache-control: {said}", f"GET {path}", "no-store")
    for method in ("PUT", "DELETE", "TRACE"):
        reply = client.request(method, "/api/rooms")
        right = reply.status_code == 405 and "GET" in reply.headers.get("allow", "")
        run.expect(right, f"{reply.status_code}", f"{method} /api/rooms", "405 with Allow")


def _closed(run: Run, client: httpx.Client) -> None:
    for path in CLOSED:
        reply = client.get(path)
        run.expect(reply.status_code == 404, f"{reply.status_code} {short(reply)[:80]}", f"GET {path}", "404")


def _document(run: Run, client: httpx.Client) -> None:
    reply = client.get("/api/openapi.json")
    if not run.expect(reply.status_code == 200, f"{reply.status_code}", "GET /api/openapi.json", "200"):
        return
    try:
        served = canonical(reply.content)
    except msgspec.DecodeError:
        run.found("no JSON", "GET /api/openapi.json", "the API document")
        return
    if run.plan.image is not None:
        mine, theirs = (msgspec.json.decode(text) for text in (run.plan.image.openapi, served))
        for where in _differing(mine, theirs):
            run.found(
                f"differs at {where}", "GET /api/openapi.json", "the document of the verifier's own image"
            )
        run.count("looks")


def _differing(mine: object, theirs: object, path: str = "") -> list[str]:
    """Where two documents differ, by path, not deeper than needed."""
    if isinstance(mine, dict) and isinstance(theirs, dict):
        keys = [*mine, *(key for key in theirs if key not in mine)]
        return [
            where for key in keys for where in _differing(mine.get(key), theirs.get(key), f"{path} / {key}")
        ][:10]
    return [] if mine == theirs else [path or "its root"]


def _pages(run: Run, client: httpx.Client) -> None:
    linked: set[str] = set()
    for path in ("/", "/r/ZZZZZZ"):
        reply = client.get(path)
        html = reply.status_code == 200 and reply.headers.get("content-type", "").startswith("text/html")
        run.expect(
            html, f"{reply.status_code} {reply.headers.get('content-type')}", f"GET {path}", "200, a page"
        )
        linked |= {link for link in LINKS.findall(reply.text) if link.startswith("/static/")}
    run.expect(linked, "no link to a static file", "GET /", "a page that links its scripts and styles")
    for link in sorted(linked):
        reply = client.get(link)
        kept = reply.status_code == 200 and "immutable" in reply.headers.get("cache-control", "")
        said = f"{reply.status_code} {reply.headers.get('cache-control')}"
        run.expect(kept, said, f"GET {link}", "200, kept for ever under its hash")
    if run.plan.image is not None:
        for path, digest in run.plan.image.static.items():
            reply = client.get(f"{run.plan.image.static_root}/{path}")
            same = reply.status_code == 200 and hashlib.sha256(reply.content).hexdigest() == digest
            where = f"GET {run.plan.image.static_root}/{path}"
            run.expect(
                same, f"{reply.status_code}, another file", where, "the file of the verifier's own image"
            )


def _foreign(run: Run, client: httpx.Client) -> None:
    """A page of another site may read nothing and change nothing."""
    own = urlsplit(run.plan.url).netloc
    for headers in ({"origin": "https://evil.example"}, {"origin": "null"}, {"sec-fetch-site": "cross-site"}):
        reply = client.post("/api/rooms", json={"name": "x"}, headers=headers)
        said = f"{reply.status_code} {short(reply)}"
        run.expect(
            reply.status_code == 403, said, f"POST /api/rooms with {headers}", f"403 (own site is {own})"
        )
    asked = client.options("/api/rooms", headers={"origin": "https://evil.example"})
    allowed = [name for name in asked.headers if name.lower().startswith("access-control")]
    run.expect(not allowed, f"{allowed}", "OPTIONS /api/rooms from another site", "no access-control header")
