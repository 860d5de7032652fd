"""What the code of this image says that a deployment of it must serve."""

from __future__ import annotations

import hashlib

import msgspec

from services.room.http.app import make_app
from services.room.http.described import document
from services.verifier.plan import Image
from shared.ops.health import Health

__all__ = ["said_by_this_image"]


def said_by_this_image() -> Image:
    """The API document and the static files."""
    app = make_app(Health())
    site = app.state.site
    static = {path: hashlib.sha256(file.body).hexdigest() for path, file in site.files.items()}
    return Image(msgspec.json.encode(document(app), order="sorted"), static, f"/static/{site.hash}")
