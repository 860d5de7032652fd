"""The walk with curl of docs/api.md, word for word, against a deployment."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path

import pytest

from services.embedded import Deployment

pytestmark = pytest.mark.slow

PAGE = Path(__file__).parents[2] / "docs" / "api.md"


def test_the_walk_with_curl_goes_as_written(deployment: Deployment) -> None:
    found = re.search(r"```bash\n(.*?)```", PAGE.read_text("utf-8"), re.S)
    assert found is not None
    done = subprocess.run(
        ["bash", "-u", "-c", found[1]],
        capture_output=True,
        text=True,
        timeout=60,
        env=os.environ | {"SIETCH_URL": deployment.url},
        check=False,
    )
    assert done.stderr == ""
    told = done.stdout
    begun = '{"seat":2}{"seat":3}{"ok":true}'
    assert told.startswith(begun), told[:300]
    offer, end = json.JSONDecoder().raw_decode(told, len(begun))
    assert offer["default"] is not None
    rest = told[end:].lstrip()
    assert rest.startswith('{"ok":true}'), rest[:300]
    frames = [json.loads(line) for line in rest.removeprefix('{"ok":true}').splitlines() if line]
    assert [frame["event"] for frame in frames][:2] == ["room", "view"]
    assert frames[0]["data"]["you"]["seat"] == 1
    assert frames[1]["data"]["view"]["turn"] >= 0
