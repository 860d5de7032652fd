"""Signatures in the formats of cosign: its simple signing payload for the image, DSSE envelopes for attestations.

Keys are ECDSA P-256, as `cosign generate-key-pair` makes them, in plain or password-protected PKCS#8 PEM.
"""

from __future__ import annotations

import base64
import binascii
from pathlib import Path

import msgspec
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from msgspec import Struct

from deploy.pipeline.errors import PipelineError, Refused
from deploy.pipeline.records import sha256

SIMPLE_SIGNING = "application/vnd.dev.cosign.simplesigning.v1+json"
ENVELOPE = "application/vnd.dsse.envelope.v1+json"
IN_TOTO = "application/vnd.in-toto+json"
SIGNATURE_ANNOTATION = "dev.cosignproject.cosign/signature"
SIGNATURE_TYPE = "cosign container image signature"

PublicKey = ec.EllipticCurvePublicKey
PrivateKey = ec.EllipticCurvePrivateKey


class _Identity(Struct, frozen=True, rename="kebab"):
    docker_reference: str


class _Image(Struct, frozen=True, rename="kebab"):
    docker_manifest_digest: str


class _Critical(Struct, frozen=True):
    identity: _Identity
    image: _Image
    type: str


class _Simple(Struct, frozen=True):
    critical: _Critical
    optional: dict[str, str] | None = None


class _Signed(Struct, frozen=True):
    sig: str
    keyid: str = ""


class Envelope(Struct, frozen=True, rename="camel"):
    """A DSSE envelope (https://github.com/secure-systems-lab/dsse)."""

    payload_type: str
    payload: str
    signatures: list[_Signed]


def make_key(folder: Path) -> tuple[Path, Path]:
    """Make a key pair: `sietch.key` (mode 600) and `sietch.pub`. Raises PipelineError where there is one already."""
    key = ec.generate_private_key(ec.SECP256R1())
    private, public = folder / "sietch.key", folder / "sietch.pub"
    folder.mkdir(parents=True, exist_ok=True)
    try:
        private.touch(mode=0o600, exist_ok=False)
    except FileExistsError:
        raise PipelineError(f"{private} is there already, and is not replaced: name another folder") from None
    private.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
    )
    public.write_bytes(pem(key.public_key()))
    return private, public


def private_key(path: Path, password: str | None = None) -> PrivateKey:
    """Read the key that signs. Raises PipelineError when it is not a key, not P-256, or the password is wrong."""
    data = _read(path)
    if b"SIGSTORE" in data:
        raise PipelineError(
            f"{path} is encrypted as only cosign does; give the key as PKCS#8 PEM (openssl pkcs8)"
        )
    try:
        key = serialization.load_pem_private_key(data, password.encode() if password else None)
    except (ValueError, TypeError) as error:
        raise PipelineError(f"{path} cannot be used: {error}") from None
    if not isinstance(key, ec.EllipticCurvePrivateKey) or not isinstance(key.curve, ec.SECP256R1):
        raise PipelineError(f"{path} is no ECDSA key on P-256")
    return key


def public_key(path: Path) -> PublicKey:
    """Read the key that verifies. Raises PipelineError when it is none on P-256."""
    try:
        key = serialization.load_pem_public_key(_read(path))
    except ValueError as error:
        raise PipelineError(f"{path} is no public key in PEM: {error}") from None
    if not isinstance(key, ec.EllipticCurvePublicKey) or not isinstance(key.curve, ec.SECP256R1):
        raise PipelineError(f"{path} is no ECDSA key on P-256")
    return key


def pem(key: PublicKey) -> bytes:
    """A public key as people hand it on."""
    return key.public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)


def fingerprint(key: PublicKey) -> str:
    """The SHA-256 of a public key."""
    return sha256(
        key.public_bytes(serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)
    )


def sign(key: PrivateKey, data: bytes) -> str:
    """An ECDSA signature over the SHA-256 of `data`, in base64."""
    return base64.b64encode(key.sign(data, ec.ECDSA(hashes.SHA256()))).decode()


def holds(key: PublicKey, data: bytes, signature: str) -> bool:
    """Whether a signature is this key's, over exactly these bytes."""
    try:
        key.verify(base64.b64decode(signature, validate=True), data, ec.ECDSA(hashes.SHA256()))
    except (InvalidSignature, binascii.Error):
        return False
    return True


def simple_payload(reference: str, digest: str) -> bytes:
    """What cosign signs for an image: who it says it is, and its digest."""
    image = _Simple(_Critical(_Identity(reference), _Image(digest), SIGNATURE_TYPE))
    return msgspec.json.encode(image)


def read_simple(payload: bytes) -> tuple[str, str]:
    """(reference, digest) of a simple signing payload. Raises Refused when it is something else."""
    try:
        simple = msgspec.json.decode(payload, type=_Simple)
    except msgspec.DecodeError as error:
        raise Refused(f"the signed payload is not cosign's: {error}") from None
    if simple.critical.type != SIGNATURE_TYPE:
        raise Refused(f"the signed payload is a '{simple.critical.type}', no image signature")
    return simple.critical.identity.docker_reference, simple.critical.image.docker_manifest_digest


def seal(key: PrivateKey, payload: bytes, kind: str = IN_TOTO) -> bytes:
    """Sign a statement and put both into a DSSE envelope."""
    envelope = Envelope(kind, base64.b64encode(payload).decode(), [_Signed(sign(key, _pae(kind, payload)))])
    return msgspec.json.encode(envelope)


def unseal(key: PublicKey, envelope: bytes, kind: str = IN_TOTO) -> bytes:
    """The payload of an envelope that this key signed. Raises Refused when it did not."""
    try:
        read = msgspec.json.decode(envelope, type=Envelope)
        payload = base64.b64decode(read.payload, validate=True)
    except (msgspec.DecodeError, binascii.Error) as error:
        raise Refused(f"an attestation is no DSSE envelope: {error}") from None
    if read.payload_type != kind:
        raise Refused(f"an attestation holds '{read.payload_type}', not '{kind}'")
    # The type is signed with the payload: a statement cannot be passed off as something else.
    if not any(holds(key, _pae(kind, payload), signed.sig) for signed in read.signatures):
        raise Refused("an attestation is not signed by this key")
    return payload


def _pae(kind: str, payload: bytes) -> bytes:
    return b"DSSEv1 %d %s %d %s" % (len(kind.encode()), kind.encode(), len(payload), payload)


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise PipelineError(f"the key {path} cannot be read: {error.strerror}") from None
