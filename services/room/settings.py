"""The room service's settings, from the environment."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from shared.ops.settings import Count, HttpSettings, Pause, Seconds


class RoomSettings(HttpSettings, frozen=True, kw_only=True):
    """Each field is `SIETCH_<FIELD>`; times are seconds.

    `scenarios` allows staged tables and stated seeds. `trust_proxy` takes the client's address and scheme from
    `X-Forwarded-For`/`-Proto` of the proxy in front. `rate_factor` multiplies every rate limit; 0 lifts them.
    What a standing order of a seat answers waits from `order_least` to `order_most`, drawn anew each time, where people
    are at the table. [WINPOL-07]
    A wake-up that NATS has not acknowledged after `wakeup_after` is sent again. When a bot has not answered after
    `bots_again`, its task is looked for, and given again if it is not in the queue or has been there for `bots_lost`.
    Both are done every `sweep_every`.
    """

    scenarios: bool = False
    trust_proxy: bool = False
    rate_factor: Annotated[float, Meta(ge=0, le=1_000_000)] = 1.0
    db_connections: Count = 6
    sweep_every: Seconds = 0.5
    order_least: Pause = 1.0
    order_most: Pause = 4.0
    wakeup_after: Pause = 2.0
    bots_again: Pause = 1.0
    bots_lost: Pause = 30.0

    def __post_init__(self) -> None:
        """ValueError when two settings do not go together."""
        if self.order_least > self.order_most:
            raise ValueError(
                f"SIETCH_ORDER_LEAST ({self.order_least:g} s) is more than SIETCH_ORDER_MOST ({self.order_most:g} s): "
                "state both, the shortest wait first"
            )
