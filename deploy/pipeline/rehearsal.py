"""`make publish-dry-run`: every stage for real, against a registry that lives as long as the run.

The records stay in the state folder; the key is of this run alone, and nothing leaves the machine.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

import msgspec

from deploy.pipeline import inventory, signing, stages
from deploy.pipeline.check import check
from deploy.pipeline.engine import Docker
from deploy.pipeline.errors import PipelineError, Refused
from deploy.pipeline.isolated import Servers
from deploy.pipeline.local import local_registry, tags
from deploy.pipeline.publish import Target, publish
from deploy.pipeline.records import Published, State, now
from deploy.pipeline.registry import Skopeo
from deploy.pipeline.telling import Telling
from deploy.pipeline.tools import Failed, Say, need, run
from deploy.pipeline.verifier import InIsolation

NAME = "sietch"
TAG = "rehearsal"


def rehearse(
    engine: Docker,
    image: str,
    state: State,
    bases: Mapping[str, str],
    servers: Servers,
    lock: Path,
    *,
    quick: bool = False,
) -> None:
    """Archive, verify, publish, check and pull again. Raises PipelineError where it ends, Refused when it must."""
    if why := engine.unreachable():
        raise PipelineError(f"no container engine answers: {why}")
    need("skopeo")
    telling = Telling(5)
    say = telling.say
    with telling.stage("archive the image"):
        built = stages.build(engine, image, state, bases, now(), say)
    with telling.stage("verify in isolation"):
        verified = stages.verify(engine, state, InIsolation(engine, servers), say, quick=quick)
        say(f"{verified.outcome}: {verified.digest}")
    with local_registry() as address:
        done = _publish(engine, f"{address}/{NAME}", state, lock, telling)
        say(f"in the registry: {', '.join(tags(address, NAME))}")
    if not built.digest == verified.digest == done.digest:
        raise Refused(f"{built.digest} was built, {verified.digest} verified, {done.digest} published")
    say(f"built, verified, published and pulled: {done.digest}")
    print(f"rehearsed: {telling.summary()}; {done.components} components in the bill of materials")


def _publish(engine: Docker, repository: str, state: State, lock: Path, telling: Telling) -> Published:
    """Publish with a key of this run, check it as a stranger would, and pull it again."""
    say, registry, built = telling.say, Skopeo(tls=False), state.built()
    with tempfile.TemporaryDirectory(prefix="sietch-rehearsal-") as scratch:
        private, public = signing.make_key(Path(scratch))
        with telling.stage("publish"):
            done = publish(
                state,
                registry,
                Target(repository=repository, tags=[TAG], rehearsal=True),
                signing.private_key(private),
                lock.read_text(),
                lambda: inventory.take(lambda words: engine.python(built.image_id, words)),
                say,
            )
        with telling.stage("check as a stranger"):
            _check(registry, f"{repository}:{TAG}", public, Path(scratch), say)
        with telling.stage("pull what was published"):
            pulled = registry.pull(f"{repository}@{done.digest}", Path(scratch) / "pulled")
            pulled.check()
            if pulled.digest != done.digest or pulled.manifest.config.digest != built.image_id:
                raise Refused(f"{pulled.digest} came back, not {done.digest}")
    return done


def _check(registry: Skopeo, reference: str, public: Path, scratch: Path, say: Say) -> None:
    """What whoever pulls can do: with our key, with a wrong one, and with other people's programs."""
    say(str(check(registry, reference, signing.public_key(public), rehearsal=True)))
    other = scratch / "other"
    other.mkdir()
    _, wrong = signing.make_key(other)
    try:
        check(registry, reference, signing.public_key(wrong), rehearsal=True)
    except Refused:
        say("another key: refused")
    else:
        raise PipelineError("the check was content with a key that signed nothing")
    accepted = accepted_by_policy(reference, public, scratch)
    say(f"a policy that takes signed images only (podman, skopeo): {accepted}")


def accepted_by_policy(reference: str, public: Path, scratch: Path) -> str:
    """Let skopeo pull under a policy that takes images signed by this key only. Raises PipelineError if it does not.

    It looks for the signature where cosign puts it; the code that looks and verifies is not ours. Debian 12 builds
    skopeo without that code, and then it cannot say.
    """
    host = reference.partition("/")[0]
    (scratch / "registries.d").mkdir(exist_ok=True)
    (scratch / "registries.d" / "local.yaml").write_text(
        f"docker:\n  {host}:\n    use-sigstore-attachments: true\n"
    )
    signed = {
        "type": "sigstoreSigned",
        "keyPath": str(public),
        "signedIdentity": {"type": "matchRepository"},
    }
    policy = {"default": [{"type": "reject"}], "transports": {"docker": {host: [signed]}}}
    (scratch / "policy.json").write_bytes(msgspec.json.encode(policy))
    target = scratch / "by-policy"
    shutil.rmtree(target, ignore_errors=True)
    where = ["--policy", str(scratch / "policy.json"), "--registries.d", str(scratch / "registries.d")]
    words = ["--src-tls-verify=false", "--remove-signatures", f"docker://{reference}", f"dir:{target}"]
    try:
        run(["skopeo", *where, "copy", "--quiet", *words], seconds=300)
    except Failed as error:
        if "sigstore disabled" in error.output:
            return "not asked, for this skopeo was built without it"
        raise
    return "accepted"
