"""What machine the figures come from, and how fast it is at the moment: a yardstick of plain Python work."""

from __future__ import annotations

import json
import os
import platform
import time
from pathlib import Path

__all__ = ["describe", "yardstick"]

_TREE = {f"key{i}": {"name": f"value {i}", "numbers": list(range(i % 7))} for i in range(60)}


def yardstick(seconds: float = 0.3) -> tuple[float, float]:
    """Rounds of a fixed piece of interpreter work a second of the processor (the best of three stretches), and the
    share of a core that this process got when it wanted a whole one."""
    stretches = [_rounds(seconds / 3) for _ in range(3)]
    return max(rounds for rounds, _ in stretches), sum(share for _, share in stretches) / len(stretches)


def _rounds(seconds: float) -> tuple[float, float]:
    done, started, used = 0, time.perf_counter(), time.process_time()
    while (spent := time.perf_counter() - started) < seconds:
        copied = {key: dict(value) for key, value in _TREE.items()}
        for value in copied.values():
            value["sum"] = sum(value["numbers"])
        json.loads(json.dumps(copied))
        done += 1
    used = time.process_time() - used
    return done / used, used / spent


def describe() -> dict[str, str | int]:
    """Kind of machine, without names, addresses or paths."""
    model = ""
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith(("model name", "Model")):
            model = line.partition(":")[2].strip()
            break
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return {
        "cpu": model or platform.machine(),
        "cores": os.cpu_count() or 0,
        "memory_gib": round(memory),
        "system": f"{platform.system()} {platform.release().partition('-')[0]}",
        "python": platform.python_version(),
    }
