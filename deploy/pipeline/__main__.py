"""The command line of the pipeline: `python -m deploy.pipeline --help`."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from deploy.pipeline import inventory, signing, stages
from deploy.pipeline.bases import BASES_FILE, one, read_bases, within
from deploy.pipeline.check import check as check_published
from deploy.pipeline.engine import Docker
from deploy.pipeline.errors import PipelineError
from deploy.pipeline.isolated import Servers
from deploy.pipeline.publish import Target
from deploy.pipeline.publish import publish as publish_archive
from deploy.pipeline.records import DEFAULT_STATE, State, now
from deploy.pipeline.registry import Skopeo
from deploy.pipeline.rehearsal import rehearse as rehearse_all
from deploy.pipeline.telling import Telling
from deploy.pipeline.verifier import InIsolation

LOCK = Path("requirements.lock")

app = typer.Typer(no_args_is_help=True, rich_markup_mode=None, add_completion=False)

StateOption = Annotated[Path, typer.Option("--state", help="Folder of records, archive and reports.")]
ImageOption = Annotated[str, typer.Option(help="Name of the image that `make image` built.")]
BasesOption = Annotated[
    Path, typer.Option(help="File that names base images and servers (NAME=reference lines).")
]
QuickOption = Annotated[bool, typer.Option("--quick", help="Only the verifier's quick subset.")]
PlainOption = Annotated[
    bool, typer.Option("--plain-http", help="The registry speaks HTTP (only on this machine).")
]

IMAGE = "sietch:local"


@app.callback()
def pipeline() -> None:
    """Build once, verify that very image in isolation, publish that very digest."""


@app.command()
def build(
    image: ImageOption = IMAGE, state: StateOption = DEFAULT_STATE, bases: BasesOption = BASES_FILE
) -> None:
    """Archive the image that `make image` built; its digest is fixed from here on."""
    telling = Telling(1)
    with telling.stage("archive the image"):
        stages.build(Docker(), image, State(state), within(read_bases(bases)), now(), telling.say)


@app.command()
def verify(
    state: StateOption = DEFAULT_STATE, bases: BasesOption = BASES_FILE, quick: QuickOption = False
) -> None:
    """Run the archived image with fresh servers in a network without a way out, and verify it there."""
    telling = Telling(1)
    with telling.stage("verify in isolation"):
        engine = Docker()
        verifier = InIsolation(engine, servers(read_bases(bases)))
        verified = stages.verify(engine, State(state), verifier, telling.say, quick=quick)
    print(f"{verified.outcome}: {verified.digest}")
    raise typer.Exit(0 if verified.outcome == "green" else 1)


@app.command()
def publish(
    repository: Annotated[str, typer.Argument(help="HOST/REPOSITORY to publish to.")],
    key: Annotated[
        Path, typer.Option(help="Private key in PEM; SIETCH_SIGNING_PASSWORD holds its password.")
    ],
    tag: Annotated[list[str], typer.Option(help="A tag that names this digest for ever.")],
    moving_tag: Annotated[list[str] | None, typer.Option(help="A tag that may move on later.")] = None,
    builder: Annotated[str, typer.Option(help="URI of who runs this build.")] = "local",
    source: Annotated[str, typer.Option(help="URI of the source repository.")] = "local",
    state: StateOption = DEFAULT_STATE,
    plain_http: PlainOption = False,
) -> None:
    """Publish the digest that was verified, with its bill of materials, provenance and signature."""
    telling = Telling(1)
    with telling.stage(f"publish to {repository}"):
        engine = Docker()
        at = State(state)
        stages.have(engine, at)
        target = Target(
            repository=repository, tags=tag, moving=moving_tag or (), builder=builder, source=source
        )
        done = publish_archive(
            at,
            Skopeo(tls=not plain_http),
            target,
            signing.private_key(key, os.environ.get("SIETCH_SIGNING_PASSWORD")),
            LOCK.read_text(),
            lambda: inventory.take(lambda words: engine.python(at.built().image_id, words)),
            telling.say,
        )
    print(f"published: {done.repository}@{done.digest}")


@app.command()
def check(
    reference: Annotated[str, typer.Argument(help="HOST/REPOSITORY[:TAG or @DIGEST]")],
    key: Annotated[Path, typer.Option(help="The public key in PEM.")],
    plain_http: PlainOption = False,
) -> None:
    """Check signature, provenance, verification and bill of materials of a published image."""
    print(check_published(Skopeo(tls=not plain_http), reference, signing.public_key(key)))


@app.command()
def rehearse(
    image: ImageOption = IMAGE,
    state: StateOption = DEFAULT_STATE,
    bases: BasesOption = BASES_FILE,
    quick: QuickOption = False,
) -> None:
    """Everything for real, against a registry of this run on this machine."""
    named = read_bases(bases)
    rehearse_all(Docker(), image, State(state), within(named), servers(named), LOCK, quick=quick)


@app.command()
def key(folder: Annotated[Path, typer.Argument(help="Where to put sietch.key and sietch.pub.")]) -> None:
    """Make a key pair that signs; keep the private one where only the pipeline reads it."""
    for path in signing.make_key(folder):
        print(path)


def servers(named: Mapping[str, str]) -> Servers:
    """The servers that the image is verified with."""
    return Servers(one(named, "POSTGRES_IMAGE"), one(named, "NATS_IMAGE"))


def main() -> int:
    """Run the command line; what failed or was refused ends with one line and status 1."""
    # As an interrupt does: what was started is removed first.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        app(standalone_mode=True)
    except PipelineError as error:
        print(f"pipeline: {type(error).__name__}: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
