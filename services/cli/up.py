"""`sietch up`: the whole deployment in the foreground, one readable line for each thing that matters."""

from __future__ import annotations

import signal
import socket
import sys
import threading
import time
from datetime import datetime
from pathlib import Path
from types import FrameType
from typing import Annotated

import typer

from services.embedded import Deployment
from services.embedded.child import Kind
from services.embedded.home import default_home

DEFAULT_PORT = 8080

app = typer.Typer(rich_markup_mode=None, add_completion=False)

COLOURS: dict[Kind, str] = {"notice": "", "problem": "\033[31m", "restart": "\033[33m"}


def say(kind: Kind, name: str, text: str) -> None:
    """Print one line: time, who, what. Colour only on a terminal."""
    clock = datetime.now().strftime("%H:%M:%S")
    line = f"{clock}  {name:<11} {text}"
    if COLOURS[kind] and sys.stdout.isatty():
        line = f"{COLOURS[kind]}{line}\033[0m"
    print(line, flush=True)


@app.callback(invoke_without_command=True)
def up(
    port: Annotated[
        int | None,
        typer.Option(
            envvar="SIETCH_HTTP_PORT",
            help="HTTP port; by default 8080, or the next free one; 0: any that is free.",
            show_default=False,
            min=0,
            max=65535,
        ),
    ] = None,
    host: Annotated[
        str,
        typer.Option(
            envvar="SIETCH_HTTP_HOST", help="Address to listen on; 0.0.0.0 opens it to the network."
        ),
    ] = "127.0.0.1",
    replicas: Annotated[int, typer.Option(help="How many processes of each service.", min=1, max=16)] = 1,
    home: Annotated[
        Path | None, typer.Option(help="Directory for data; by default .sietch/.", show_default=False)
    ] = None,
) -> None:
    """Start PostgreSQL, NATS and the four services here; Ctrl-C stops them. Games are kept."""
    began = time.monotonic()
    ending = Ending()
    place = home or default_home()
    say("notice", "sietch", f"starting; data in {place}")
    chosen = free_port(host) if port is None else port
    sietch = Deployment(place, port=chosen, host=host, replicas=replicas, tell=say)
    try:
        sietch.up()
        ending.starting = False
        say(
            "notice",
            "sietch",
            f"ready after {time.monotonic() - began:.1f} s: {sietch.url}  (Ctrl-C stops it)",
        )
        while not ending.asked.wait(0.5):
            keep_servers(sietch)
    except KeyboardInterrupt:
        ending.starting = False
    finally:
        say("notice", "sietch", "stopping")
        sietch.down()
    say("notice", "sietch", "stopped; games are kept")


class Ending:
    """What SIGINT, SIGTERM and SIGHUP do: interrupt while everything is starting; later ask for the end."""

    def __init__(self) -> None:
        self.starting = True
        self.asked = threading.Event()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, self._handle)

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if self.starting and not self.asked.is_set():
            self.asked.set()
            raise KeyboardInterrupt
        self.asked.set()


def keep_servers(sietch: Deployment) -> None:
    """Start PostgreSQL or NATS again when one of them died."""
    for name, server in (("postgres", sietch.postgres), ("nats", sietch.nats)):
        if server is not None and not server.running:
            say("restart", name, "ended, starting again")
            server.start()


def free_port(host: str) -> int:
    """8080, or the first free port after it."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    for port in range(DEFAULT_PORT, DEFAULT_PORT + 100):
        with socket.socket(family, socket.SOCK_STREAM) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((host, port))
            except OSError:
                continue
            return port
    return 0
