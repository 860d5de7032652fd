"""The bill of materials of an image: CycloneDX, from the lock file and from what is really there."""

from __future__ import annotations

from collections.abc import Sequence

from cyclonedx.contrib.license.factories import LicenseFactory
from cyclonedx.exception import CycloneDxException
from cyclonedx.model import HashAlgorithm, HashType, Property
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.output import make_outputter
from cyclonedx.schema import OutputFormat, SchemaVersion
from packageurl import PackageURL
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from deploy.pipeline.errors import Refused
from deploy.pipeline.inventory import PROJECT, DebianPackage, Inventory, Locked, PythonPackage, compare, meant

MEDIA = "application/vnd.cyclonedx+json"


def describe(image: str, digest: str, lines: Sequence[Locked], found: Inventory) -> tuple[str, int]:
    """(CycloneDX JSON, number of components) of an image. Raises Refused when it is not what the lock file names."""
    if faults := compare(lines, found):
        raise Refused("the image is not what the lock file names: " + "; ".join(faults))
    hashes = {line.name: line.hashes for line in meant(lines, found.environment)}
    bom = Bom()
    root = Component(
        name=image,
        version=digest,
        type=ComponentType.CONTAINER,
        bom_ref="image",
        purl=PackageURL("oci", None, image.rpartition("/")[2], digest),
        hashes=[HashType(alg=HashAlgorithm.SHA_256, content=digest.removeprefix("sha256:"))],
    )
    bom.metadata.component = root
    python = {str(canonicalize_name(package.name)): package for package in found.python}
    parts = {name: _python(name, package, hashes.get(name, [])) for name, package in python.items()}
    system = [_debian(package, found.distribution) for package in found.debian]
    for part in (*parts.values(), *system):
        bom.components.add(part)
    bom.register_dependency(root, [*parts.values(), *system])
    for name, needed in _graph(python, found.environment).items():
        bom.register_dependency(parts[name], [parts[other] for other in sorted(needed) if other in parts])
    text = make_outputter(bom, OutputFormat.JSON, SchemaVersion.V1_6).output_as_string(indent=1)
    return text, len(parts) + len(system)


def _python(name: str, package: PythonPackage, hashes: Sequence[str]) -> Component:
    """The lock file names several files of a package, one for each platform: each hash is one that was allowed."""
    component = Component(
        name=name,
        version=package.version,
        type=ComponentType.APPLICATION if name == PROJECT else ComponentType.LIBRARY,
        bom_ref=f"python:{name}",
        purl=PackageURL("pypi", None, name, package.version),
        properties=[Property(name="sietch:lock:sha256", value=value) for value in sorted(hashes)],
    )
    if package.license:
        try:
            component.licenses.add(LicenseFactory().make_with_expression(package.license))
        except CycloneDxException:
            component.properties.add(Property(name="sietch:license", value=package.license))
    return component


def _debian(package: DebianPackage, distribution: str) -> Component:
    qualifiers = {"arch": package.architecture} | ({"distro": distribution} if distribution else {})
    return Component(
        name=package.name,
        version=package.version,
        type=ComponentType.LIBRARY,
        bom_ref=f"debian:{package.name}:{package.architecture}",
        purl=PackageURL(
            "deb", distribution.partition("-")[0] or "debian", package.name, package.version, qualifiers
        ),
    )


def _graph(python: dict[str, PythonPackage], environment: dict[str, str]) -> dict[str, set[str]]:
    """Package to what it needs here. Somebody who asks for `a[b]` makes `a` need what it needs for `b`."""
    asked = {name: [Requirement(text) for text in package.requires] for name, package in python.items()}
    extras: dict[str, set[str]] = {name: {""} for name in python}
    for need in (need for needs in asked.values() for need in needs):
        extras.setdefault(str(canonicalize_name(need.name)), {""}).update(need.extras)
    return {
        name: {
            str(canonicalize_name(need.name))
            for need in needs
            if need.marker is None
            or any(need.marker.evaluate({**environment, "extra": extra}) for extra in extras[name])
        }
        for name, needs in asked.items()
    }
