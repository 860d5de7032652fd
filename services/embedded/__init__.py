"""Everything on one machine: PostgreSQL and NATS from their wheels, and the four services, as one process tree.

`Deployment` is what `sietch up` runs and what tests start; `EmbeddedPostgres` and `EmbeddedNats` serve alone too.
"""

from services.embedded.deployment import Deployment
from services.embedded.errors import EmbeddedError
from services.embedded.nats import EmbeddedNats
from services.embedded.postgres import EmbeddedPostgres

__all__ = ["Deployment", "EmbeddedError", "EmbeddedNats", "EmbeddedPostgres"]
