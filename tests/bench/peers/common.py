"""Shared by the peer scripts: the workload file, a stub embedder, the clock and the report.

A peer script takes one JSON argument and prints one JSON line. The argument:
    mode         "recall" or "write"
    workload     a JSON Lines file: {"kind": "memory", "user": ..., "text": ...} and {"kind": "query", ...}
    folder       an empty folder for the peer's files
    clients      numbers of threads to measure with, such as [1, 8]
    operations   at most this many operations for each number of threads
    max_seconds  and at most this many seconds for each
"""

import json
import sys
import threading
import time
import zlib
from pathlib import Path

import numpy as np

DIMENSIONS = 384


class Workload:
    """The texts and queries of Kimberly's own measurement, in the same order."""

    def __init__(self, path):
        self.memories, self.queries = [], []
        with Path(path).open(encoding="utf-8") as lines:
            for line in lines:
                row = json.loads(line)
                (self.memories if row["kind"] == "memory" else self.queries).append((row["user"], row["text"]))

    def by_user(self):
        """Texts by user, in order."""
        users = {}
        for user, text in self.memories:
            users.setdefault(user, []).append(text)
        return users


class StubEmbedder:
    """A normalized bag of hashed words. Vectors are computed before the clock starts, so embedding costs peers nothing."""

    def __init__(self, workload):
        self._known = {text: self._vector(text) for _, text in workload.memories + workload.queries}

    def __call__(self, text):
        vector = self._known.get(text)
        return self._vector(text) if vector is None else vector

    @staticmethod
    def _vector(text):
        vector = np.zeros(DIMENSIONS, dtype=np.float32)
        for word in text.lower().split():
            code = zlib.crc32(word.strip(".,?!\"'").encode())
            vector[code % DIMENSIONS] += 1.0 if code & 0x8000_0000 else -1.0
        norm = float(np.linalg.norm(vector))
        return vector / norm if norm else vector


def parameters():
    """The single argument."""
    if len(sys.argv) != 2:
        sys.exit("give one JSON argument; tests/bench/peers/common.py says what it holds")
    return json.loads(sys.argv[1])


def measure(operation, items, clients, max_seconds):
    """Runs operation(item) over the items on `clients` threads; stops after max_seconds."""
    latencies, errors, lock, turn = [], [], threading.Lock(), iter(items)
    deadline = time.perf_counter() + max_seconds

    def client():
        own, failed = [], []
        while time.perf_counter() < deadline:
            with lock:
                item = next(turn, None)
            if item is None:
                break
            start = time.perf_counter()
            try:
                operation(item)
                own.append(time.perf_counter() - start)
            except Exception as error:  # A peer that fails under threads is a result, not a crash
                failed.append(f"{type(error).__name__}: {error}"[:200])
        with lock:
            latencies.extend(own)
            errors.extend(failed)

    threads = [threading.Thread(target=client) for _ in range(clients)]
    start = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    seconds = time.perf_counter() - start
    return summary(latencies, errors, seconds) | {"clients": clients, "asked": len(items)}


def measure_all(operation, items, settings):
    """Measures each number of clients with its own items."""
    runs, offset, count = [], 0, settings["operations"]
    for clients in settings["clients"]:
        part = [items[(offset + i) % len(items)] for i in range(count)]
        offset += count
        runs.append(measure(operation, part, clients, settings["max_seconds"]))
    return runs


def summary(latencies, errors, seconds):
    """Percentiles in milliseconds, and operations per second."""
    result = {"operations": len(latencies), "errors": len(errors), "seconds": round(seconds, 3)}
    if errors:
        result["first_error"] = errors[0]
    if latencies:
        p50, p95, p99 = (float(value) * 1e3 for value in np.percentile(latencies, [50, 95, 99]))
        result |= {"p50_ms": p50, "p95_ms": p95, "p99_ms": p99, "per_second": len(latencies) / seconds}
    return result


def report(peer, version, settings, **more):
    """Prints the result as one line."""
    print(json.dumps({"peer": peer, "version": version, "mode": settings["mode"]} | more), flush=True)
