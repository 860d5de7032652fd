"""`python -m shared.ops.probe`: ask this machine's ops port whether the service is ready; 0 when it is, else 1.

What a container's health check runs every few seconds: it loads nothing but sockets, and prints what is wrong.
"""

from __future__ import annotations

import os
import socket
import sys

SECONDS = 4.0
ANSWER_BYTES = 64 * 1024


def ready(port: int, seconds: float = SECONDS) -> tuple[bool, str]:
    """Whether `/readyz` at the loopback port says so, and what it says."""
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=seconds) as link:
            link.sendall(b"GET /readyz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            answer = b""
            while len(answer) < ANSWER_BYTES and (part := link.recv(4096)):
                answer += part
    except OSError as error:
        return False, f"no answer from the ops port {port}: {error}"
    head, _, body = answer.partition(b"\r\n\r\n")
    return head.split(b" ")[1:2] == [b"200"], body.decode(errors="replace")


def main() -> int:
    """The command: the port is SIETCH_OPS_PORT."""
    port = os.environ.get("SIETCH_OPS_PORT", "")
    if not port.isdecimal() or port == "0":
        print("SIETCH_OPS_PORT names no port to ask", file=sys.stderr)
        return 1
    well, text = ready(int(port))
    print(text)
    return 0 if well else 1


if __name__ == "__main__":
    raise SystemExit(main())
