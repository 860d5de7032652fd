"""Signatures are cosign's: another implementation of the same formats (OpenSSL's) makes and takes them."""

from __future__ import annotations

import base64
import json
import stat
import subprocess
from pathlib import Path

import pytest

from deploy.pipeline import signing, statements
from deploy.pipeline.errors import PipelineError, Refused

DIGEST = "sha256:" + "1" * 64


def test_the_payload_is_what_cosign_signs() -> None:
    payload = signing.simple_payload("registry.example/sietch", DIGEST)
    assert json.loads(payload) == {
        "critical": {
            "identity": {"docker-reference": "registry.example/sietch"},
            "image": {"docker-manifest-digest": DIGEST},
            "type": "cosign container image signature",
        },
        "optional": None,
    }
    assert signing.read_simple(payload) == ("registry.example/sietch", DIGEST)


def test_openssl_takes_our_signature_and_we_take_its(tmp_path: Path) -> None:
    private, public = signing.make_key(tmp_path)
    (tmp_path / "data").write_bytes(b"spice")
    (tmp_path / "ours").write_bytes(base64.b64decode(signing.sign(signing.private_key(private), b"spice")))
    words = [
        "openssl",
        "dgst",
        "-sha256",
        "-verify",
        public,
        "-signature",
        tmp_path / "ours",
        tmp_path / "data",
    ]
    assert b"Verified OK" in subprocess.run(words, capture_output=True, check=True).stdout
    words = ["openssl", "dgst", "-sha256", "-sign", private, "-out", tmp_path / "theirs", tmp_path / "data"]
    subprocess.run(words, capture_output=True, check=True)
    theirs = base64.b64encode((tmp_path / "theirs").read_bytes()).decode()
    key = signing.public_key(public)
    assert signing.holds(key, b"spice", theirs)
    assert not signing.holds(key, b"sand", theirs)
    assert not signing.holds(key, b"spice", "no base64!")


def test_an_envelope_signs_its_type_with_its_payload(tmp_path: Path) -> None:
    """DSSE's own words: the signature is over PAE(type, payload), here spelled out."""
    private, public = signing.make_key(tmp_path)
    sealed = signing.seal(signing.private_key(private), b"{}")
    envelope = json.loads(sealed)
    signed = b"DSSEv1 28 application/vnd.in-toto+json 2 {}"
    assert envelope["payloadType"] == "application/vnd.in-toto+json"
    assert signing.holds(signing.public_key(public), signed, envelope["signatures"][0]["sig"])
    assert signing.unseal(signing.public_key(public), sealed) == b"{}"


@pytest.mark.parametrize("field", ["payload", "payloadType", "signatures"])
def test_an_altered_envelope_is_refused(field: str, tmp_path: Path) -> None:
    private, public = signing.make_key(tmp_path)
    envelope = json.loads(signing.seal(signing.private_key(private), b"{}"))
    other = {"payload": base64.b64encode(b"[]").decode(), "payloadType": "text/plain", "signatures": []}
    with pytest.raises(Refused):
        signing.unseal(signing.public_key(public), json.dumps(envelope | {field: other[field]}).encode())


def test_a_statement_about_another_image_is_refused() -> None:
    said = statements.statement("sietch", DIGEST, statements.PROVENANCE, {})
    assert statements.read(said, DIGEST).predicate_type == statements.PROVENANCE
    with pytest.raises(Refused, match="is not about"):
        statements.read(said, "sha256:" + "2" * 64)


def test_the_private_key_is_readable_by_its_owner_alone(tmp_path: Path) -> None:
    private, _ = signing.make_key(tmp_path)
    assert stat.S_IMODE(private.stat().st_mode) == 0o600


def test_a_password_is_asked_for_and_held_to(tmp_path: Path) -> None:
    private, _ = signing.make_key(tmp_path)
    words = [
        "openssl",
        "pkcs8",
        "-topk8",
        "-in",
        private,
        "-out",
        tmp_path / "locked",
        "-passout",
        "pass:arrakis",
    ]
    subprocess.run(words, capture_output=True, check=True)
    assert signing.private_key(tmp_path / "locked", "arrakis")
    for wrong in ("caladan", None):
        with pytest.raises(PipelineError, match="cannot be used"):
            signing.private_key(tmp_path / "locked", wrong)


def test_keys_of_another_kind_are_named_as_such(tmp_path: Path) -> None:
    other = tmp_path / "other"
    for words in (
        ["genrsa", "-out", other, "2048"],
        ["ecparam", "-genkey", "-noout", "-name", "secp384r1", "-out", other],
    ):
        subprocess.run(["openssl", *words], capture_output=True, check=True)
        with pytest.raises(PipelineError, match="no ECDSA key on P-256"):
            signing.private_key(other)
    other.write_text("-----BEGIN ENCRYPTED SIGSTORE PRIVATE KEY-----\n")
    with pytest.raises(PipelineError, match="as only cosign does"):
        signing.private_key(other)
    with pytest.raises(PipelineError, match="cannot be read"):
        signing.private_key(tmp_path / "absent")


def test_a_key_that_is_there_is_not_replaced(tmp_path: Path) -> None:
    private, _ = signing.make_key(tmp_path / "keys")
    assert stat.S_IMODE(private.stat().st_mode) == 0o600
    before = private.read_bytes()
    with pytest.raises(PipelineError, match="is not replaced"):
        signing.make_key(tmp_path / "keys")
    assert private.read_bytes() == before
