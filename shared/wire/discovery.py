"""Service discovery: every service has an entry in NATS (`$SRV.PING`, `INFO`, `STATS`), which `nats micro` lists."""

from __future__ import annotations

import nats.micro
from nats.micro.service import Service, ServiceConfig

from shared.ops.service import VERSION
from shared.wire.client import Bus

__all__ = ["announce"]


async def announce(bus: Bus, name: str, instance: str) -> Service:
    """Enter this process under its service's name; the entry goes with the connection."""
    config = ServiceConfig(
        name=name, version=VERSION, description=f"Sietch {name}", metadata={"instance": instance}
    )
    return await nats.micro.add_service(bus.client, config)
