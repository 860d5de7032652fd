"""Only what was verified is published, and exactly that: every way around it is refused, with nothing sent."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from deploy.pipeline import signing, stages, statements
from deploy.pipeline.check import check
from deploy.pipeline.errors import PipelineError, Refused
from deploy.pipeline.inventory import PythonPackage
from deploy.pipeline.records import sha256
from deploy.pipeline.registry import beside
from tests.unit.pipeline.fakes import BASES, REPOSITORY, FakeVerifier, Run


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """A pipeline of this test's own."""
    return Run(tmp_path)


@pytest.fixture
def green(run: Run) -> Run:
    """One whose image was built and verified."""
    run.build()
    run.verify()
    return run


def test_what_was_verified_is_published_and_nothing_else(green: Run) -> None:
    digest = green.state.verified().digest
    done = green.publish(moving=["latest"])
    assert done.digest == digest == green.state.built().digest
    for reference in (f"{REPOSITORY}@{digest}", f"{REPOSITORY}:1.0", f"{REPOSITORY}:latest"):
        assert sha256(green.registry.manifests[reference]) == digest
    tags = [reference for reference in green.registry.pushed if reference.endswith((":1.0", ":latest"))]
    assert green.registry.pushed[-2:] == tags, "a tag comes after all that vouches for it"


def test_the_published_image_is_checked_with_the_public_key_alone(green: Run) -> None:
    done = green.publish()
    checked = check(green.registry, f"{REPOSITORY}:1.0", signing.public_key(green.public))
    assert checked.digest == done.digest
    assert checked.components == done.components == 3
    assert checked.reports == 2
    assert checked.revision == green.state.built().revision


def test_the_verifier_sees_the_image_that_is_archived(run: Run) -> None:
    verifier = FakeVerifier()
    built = run.build()
    run.verify(verifier)
    assert verifier.saw == [built.image_id]


def test_a_machine_without_the_image_takes_it_from_the_archive(run: Run) -> None:
    built = run.build()
    run.engine.images.clear()
    verifier = FakeVerifier()
    run.verify(verifier)
    assert run.engine.loaded
    assert verifier.saw == [built.image_id]


def test_an_image_of_another_revision_than_the_checkout_is_not_archived(run: Run) -> None:
    run.engine.revision = "0" * 40
    with pytest.raises(Refused, match="this checkout is"):
        run.build()
    assert not run.state.archive.exists()


def test_an_image_on_another_base_than_named_is_not_archived(run: Run) -> None:
    run.engine.stand = ["sha256:other"]
    with pytest.raises(Refused, match="does not stand on"):
        run.build()
    assert not run.state.archive.exists()


@pytest.mark.parametrize(
    "told", [("python:3-slim", "sha256:builder"), (BASES["PYTHON_BUILD_IMAGE"], "sha256:another")]
)
def test_an_image_that_another_base_built_is_not_archived(run: Run, told: tuple[str, str]) -> None:
    run.engine.built_on = told
    with pytest.raises(Refused, match="was built on"):
        run.build()
    assert not run.state.archive.exists()


def test_a_stand_in_that_only_built_is_no_base_for_people_either(run: Run) -> None:
    run.engine.of_bases = {stages.STANDIN: "Debian"}
    run.build()
    run.verify()
    with pytest.raises(Refused, match=r"stand-in \(Debian\)"):
        run.publish()
    assert run.registry.pushed == []


@pytest.mark.parametrize("version", ["1.0.1", "", "v1.0"])
def test_a_tag_is_the_version_of_the_image(run: Run, version: str) -> None:
    run.engine.version = version
    run.build()
    run.verify()
    with pytest.raises(Refused, match=r"the tag says 1\.0"):
        run.publish()
    assert run.registry.pushed == []
    assert run.publish(rehearsal=True).tags == ["1.0"], "a rehearsal has a tag of its own"


def test_a_tag_may_have_a_v_before_the_version(green: Run) -> None:
    green.tag = "v1.0"
    assert green.publish(moving=["latest"]).tags == ["v1.0", "latest"]


Meddle = Callable[[Run], object]


def _rewrite_report(run: Run) -> None:
    (run.state.reports / "http.json").write_text('{"faults": 0, "by": "hand"}')


def _say_green(run: Run) -> None:
    """A record that calls a red verifier green."""
    red = msgspec.structs.replace(run.state.verified(), outcome="green", checks={"http": 1, "store": 0})
    (run.state.folder / "verified.json").write_bytes(msgspec.json.encode(red))


def _say_half_green(run: Run) -> None:
    """A record in which one of the two verifiers is enough."""
    half = msgspec.structs.replace(run.state.verified(), checks={"store": 0})
    (run.state.folder / "verified.json").write_bytes(msgspec.json.encode(half))


def _alter_layer(run: Run) -> None:
    blob = run.state.archive / run.state.built().digest
    for path in run.state.archive.iterdir():
        if path.name not in {"manifest.json", "version"} and b"sietch" in path.read_bytes():
            path.write_bytes(b"another layer, same name")
    assert not blob.exists()


def _build_another(run: Run) -> None:
    """Another image is archived, and the old word of the verifier is put back beside it."""
    word = (run.state.folder / "verified.json").read_bytes()
    run.engine.images["other"] = b"another layer"
    run.build("other")
    (run.state.folder / "verified.json").write_bytes(word)


def _swap_archive(run: Run) -> None:
    """The records stay, the archive under them is another."""
    records = {name: (run.state.folder / name).read_bytes() for name in ("build.json", "verified.json")}
    _build_another(run)
    for name, data in records.items():
        (run.state.folder / name).write_bytes(data)


@pytest.mark.parametrize(
    ("meddle", "reason"),
    [
        (lambda run: run.state.forget("verified.json"), "nothing is published that was not verified"),
        (lambda run: run.state.forget("build.json"), "build the image first"),
        (lambda run: run.build(), "nothing is published that was not verified"),
        (lambda run: (run.state.folder / "verified.json").write_text("{}"), "is no record of this pipeline"),
        (lambda run: run.verify(FakeVerifier(http=0, store=1)), "the verifier was not content"),
        (lambda run: run.verify(FakeVerifier(http=2)), "the verifier was not content"),
        (lambda run: run.verify(FakeVerifier(http=0)), "store did not run"),
        (_say_half_green, "http did not run"),
        (_say_green, "the verifier was not content"),
        (_rewrite_report, "is not the report that the verifier wrote"),
        (lambda run: (run.state.reports / "store.json").unlink(), "cannot be read"),
        (_alter_layer, "is not what the manifest names"),
        (_build_another, "was verified, but the record of the build is"),
        (_swap_archive, "was verified, but the archive is"),
        (lambda run: run.alter_built(image_id="sha256:" + "0" * 64), "what ran under the verifier"),
        (lambda run: run.alter_built(clean=False), "was not exactly revision"),
        (lambda run: run.alter_built(bases={"PYTHON_RUN_IMAGE": "python:3"}), "not pinned by digest"),
        (lambda run: run.alter_built(standin="Debian"), "made with a local stand-in"),
        (lambda run: run.verify(quick=True), "quick subset"),
    ],
)
def test_it_is_refused_before_anything_is_sent(green: Run, meddle: Meddle, reason: str) -> None:
    meddle(green)
    with pytest.raises(PipelineError, match=reason):
        green.publish()
    assert green.registry.pushed == []
    with pytest.raises(Refused):
        green.state.published()


def test_a_verifier_that_leaves_no_report_is_not_believed(run: Run) -> None:
    run.build()

    def silent(image_id: str, reports: Path, quick: bool, say: Callable[[str], None]) -> dict[str, int]:
        return {"http": 0, "store": 0}

    with pytest.raises(PipelineError, match="left no report"):
        run.verify(silent)  # type: ignore[arg-type]
    with pytest.raises(Refused):
        run.publish()
    assert run.registry.pushed == []


def test_a_link_in_place_of_a_report_is_not_followed(run: Run, tmp_path: Path) -> None:
    """The image that is judged writes the reports: they are handed on, and a link would hand on something of ours."""
    run.build()
    (tmp_path / "elsewhere").write_text("a secret of this machine")

    def linking(image_id: str, reports: Path, quick: bool, say: Callable[[str], None]) -> dict[str, int]:
        (reports / "http.json").symlink_to(tmp_path / "elsewhere")
        assert reports.stat().st_mode & 0o7777 == 0o1777, "what is ours in there stays where it is"
        return {"http": 0, "store": 0}

    with pytest.raises(Refused, match="links in place of reports"):
        run.verify(linking)  # type: ignore[arg-type]
    with pytest.raises(Refused):
        run.publish()
    assert run.registry.pushed == []


def test_an_image_with_another_package_than_locked_is_refused(green: Run) -> None:
    packages = [*green.inside.python, PythonPackage("delta", "1.0")]
    green.inside = msgspec.structs.replace(green.inside, python=packages)
    with pytest.raises(Refused, match=r"delta 1\.0 is in the image, and not locked"):
        green.publish()
    assert green.registry.pushed == []


def test_a_tag_that_names_another_image_does_not_move(green: Run) -> None:
    green.registry.manifests[f"{REPOSITORY}:1.0"] = b"an earlier release"
    with pytest.raises(Refused, match=r"1\.0 names .* already"):
        green.publish()
    assert green.registry.pushed == []


def test_a_registry_that_stores_other_bytes_gets_no_tag(green: Run) -> None:
    green.registry.spoil = lambda reference, raw: raw + b" "
    with pytest.raises(Refused, match="do not use it"):
        green.publish()
    assert not [reference for reference in green.registry.pushed if reference.endswith(":1.0")]


def test_a_rehearsal_is_less_strict_and_says_so_to_who_checks(run: Run) -> None:
    run.build(clean=False)
    run.verify(quick=True)
    run.publish(rehearsal=True)
    key = signing.public_key(run.public)
    assert check(run.registry, f"{REPOSITORY}:1.0", key, rehearsal=True).digest == run.state.built().digest
    with pytest.raises(Refused, match="quick subset"):
        check(run.registry, f"{REPOSITORY}:1.0", key)


def test_an_image_of_which_a_verifier_says_nothing_gets_no_tag(
    green: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever checks does not trust who published: not even that the gate was asked."""
    said = statements.result
    monkeypatch.setattr(statements, "result", lambda verified: said(verified) | {"passedTests": ["store"]})
    with pytest.raises(Refused, match="was not judged by http"):
        green.publish()
    assert not [reference for reference in green.registry.pushed if reference.endswith(":1.0")]


@pytest.mark.parametrize("what", ["sig", "att", "sbom"])
def test_whoever_checks_misses_what_was_removed(green: Run, what: str) -> None:
    digest = green.publish().digest
    del green.registry.manifests[beside(REPOSITORY, digest, what)]
    with pytest.raises(Refused, match=rf"no \.{what} beside it"):
        check(green.registry, f"{REPOSITORY}:1.0", signing.public_key(green.public))


@pytest.mark.parametrize("what", ["sig", "att"])
def test_what_vouches_for_one_image_does_not_for_another(green: Run, tmp_path: Path, what: str) -> None:
    """All that lies beside an image is copied beside another one, as an attacker with write access could."""
    first = green.publish().digest
    other = Run(tmp_path / "other")
    other.engine.images["sietch"] = b"something planted"
    other.key, other.registry = green.key, green.registry
    other.build()
    other.verify()
    second = other.state.built().digest
    green.registry.manifests[f"{REPOSITORY}:1.0"] = other.state.archive.joinpath("manifest.json").read_bytes()
    for part in ("sig", "att", "sbom"):
        green.registry.manifests[beside(REPOSITORY, second, part)] = green.registry.manifests[
            beside(REPOSITORY, first, part)
        ]
    if what == "att":  # even with a signature that is right
        layer = signing.simple_payload(REPOSITORY, second)
        from deploy.pipeline.archive import write_artifact

        note = {signing.SIGNATURE_ANNOTATION: signing.sign(green.key, layer)}
        signed = write_artifact(tmp_path / "signed", [(signing.SIMPLE_SIGNING, layer, note)])
        green.registry.push(signed, beside(REPOSITORY, second, "sig"))
    reason = "is for" if what == "sig" else "is not about"
    with pytest.raises(Refused, match=reason):
        check(green.registry, f"{REPOSITORY}:1.0", signing.public_key(green.public))


def test_another_key_vouches_for_nothing(green: Run, tmp_path: Path) -> None:
    green.publish()
    (tmp_path / "other").mkdir()
    _, public = signing.make_key(tmp_path / "other")
    with pytest.raises(Refused, match="is not signed by this key"):
        check(green.registry, f"{REPOSITORY}:1.0", signing.public_key(public))


def test_another_bill_of_materials_than_the_attested_is_noticed(green: Run, tmp_path: Path) -> None:
    from deploy.pipeline.archive import write_artifact
    from deploy.pipeline.sbom import MEDIA

    digest = green.publish().digest
    empty = (MEDIA, b'{"components": []}', {})
    for layers, why in (
        ([empty], "not the one that was attested"),
        ([empty, empty], "as its bill of materials"),
    ):
        forged = write_artifact(tmp_path / f"forged-{len(layers)}", layers)
        green.registry.push(forged, beside(REPOSITORY, digest, "sbom"))
        with pytest.raises(Refused, match=why):
            check(green.registry, f"{REPOSITORY}:1.0", signing.public_key(green.public))
