"""What is really in an image, and whether it is what the lock file names: no more, no less, no other version.

The image's own Python is asked, in a container without a network; so it also tells which lines of the lock file
are meant for it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import msgspec
from msgspec import Struct
from packaging.markers import Marker
from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

from deploy.pipeline.errors import PipelineError

PROJECT = "sietch"

# Runs in the image: it may use nothing but the standard library.
ASK = """
import importlib.metadata as m, json, os, platform, re, sys, pathlib
v = sys.implementation.version
env = {
    "implementation_name": sys.implementation.name,
    "implementation_version": "%d.%d.%d" % (v.major, v.minor, v.micro),
    "os_name": os.name, "platform_machine": platform.machine(),
    "platform_release": platform.release(), "platform_system": platform.system(),
    "platform_version": platform.version(), "python_full_version": platform.python_version(),
    "platform_python_implementation": platform.python_implementation(),
    "python_version": "%d.%d" % sys.version_info[:2], "sys_platform": sys.platform,
}
python = [{
    "name": d.metadata["Name"], "version": d.version, "requires": d.requires or [],
    "license": d.metadata.get("License-Expression") or "",
} for d in m.distributions()]
notes = [pathlib.Path("/var/lib/dpkg/status"), *pathlib.Path("/var/lib/dpkg/status.d").glob("*")]
notes = [note for note in notes if note.suffix != ".md5sums"]
debian = []
for note in notes:
    for part in (note.read_text(errors="replace") if note.is_file() else "").split("\\n\\n"):
        f = dict(re.findall(r"^(Package|Version|Architecture|Status): (.*)$", part, re.M))
        if "Package" in f and f.get("Status", "install ok installed").endswith(" installed"):
            debian.append({"name": f["Package"], "version": f["Version"], "architecture": f["Architecture"]})
release = dict(re.findall(r'^(ID|VERSION_ID)="?([^"\\n]*)', pathlib.Path("/etc/os-release").read_text(), re.M))
print(json.dumps({"environment": env, "python": python, "debian": debian,
                  "distribution": "-".join(release.get(k, "") for k in ("ID", "VERSION_ID"))}))
"""

Ask = Callable[[Sequence[str]], str]


class PythonPackage(Struct, frozen=True):
    """A distribution in the image."""

    name: str
    version: str
    requires: list[str] = []
    license: str = ""


class DebianPackage(Struct, frozen=True):
    """A package of the base system in the image."""

    name: str
    version: str
    architecture: str


class Inventory(Struct, frozen=True):
    """Everything in the image that has a name and a version."""

    environment: dict[str, str]
    python: list[PythonPackage]
    debian: list[DebianPackage]
    distribution: str = ""


class Locked(Struct, frozen=True):
    """One line of the lock file."""

    name: str
    version: str
    hashes: list[str]
    marker: str = ""


def take(ask: Ask) -> Inventory:
    """Ask the image's Python what is in it; `ask` runs it with these words and returns what it printed."""
    try:
        return msgspec.json.decode(ask(["-c", ASK]), type=Inventory)
    except msgspec.DecodeError as error:
        raise PipelineError(f"the image does not say what is in it: {error}") from None


def locked(text: str) -> list[Locked]:
    """Read a lock file. Raises PipelineError at a line that pins nothing or has no hash."""
    found = []
    for line in re.sub(r"\\\n\s*", " ", re.sub(r"(?m)^\s*#.*$", "", text)).splitlines():
        if not line.strip():
            continue
        words, *hashes = line.split(" --hash=sha256:")
        try:
            need = Requirement(words.strip())
            (pin,) = need.specifier
        except (InvalidRequirement, ValueError):
            raise PipelineError(f"the lock file has a line that pins nothing: {words.strip()}") from None
        if pin.operator != "==" or not hashes:
            raise PipelineError(f"the lock file does not pin {need.name} by version and hash; run: make lock")
        marker = str(need.marker or "")
        found.append(Locked(canonicalize_name(need.name), pin.version, [h.strip() for h in hashes], marker))
    return found


def meant(lines: Sequence[Locked], environment: dict[str, str]) -> list[Locked]:
    """The lines of the lock file that are for this environment."""
    return [line for line in lines if not line.marker or Marker(line.marker).evaluate(dict(environment))]


def compare(lines: Sequence[Locked], found: Inventory) -> list[str]:
    """What differs between lock file and image, a sentence each; empty when nothing does."""
    wanted = {line.name: line.version for line in meant(lines, found.environment)}
    there = {str(canonicalize_name(package.name)): package.version for package in found.python}
    there.pop(PROJECT, None)  # our own code comes from the revision, not from the lock file
    faults = [
        f"{name} {wanted[name]} is locked, and not in the image"
        for name in sorted(wanted.keys() - there.keys())
    ]
    for name in sorted(there.keys() - wanted.keys()):
        faults.append(f"{name} {there[name]} is in the image, and not locked")
    for name in sorted(there.keys() & wanted.keys()):
        if there[name] != wanted[name]:
            faults.append(f"{name} is {there[name]} in the image, and locked as {wanted[name]}")
    return faults
