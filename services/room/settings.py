"""The room service's settings, from the environment."""

from __future__ import annotations

from shared.ops.settings import HttpSettings


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
    rate_factor: float = 1.0
    db_connections: int = 6
    sweep_every: float = 0.5
    order_least: float = 1.0
    order_most: float = 4.0
    wakeup_after: float = 2.0
    bots_again: float = 1.0
    bots_lost: float = 30.0
