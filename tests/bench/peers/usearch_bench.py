"""usearch's HNSW index on the vectors of Kimberly's own measurement, as int8, one query at a time.

Takes one JSON argument and prints one JSON line. The argument:
    vectors     a file of 32-bit floats: `rows` + `extra` vectors, then the queries
    dimension   numbers in each
    rows        vectors to build with
    extra       vectors to add, and to remove again
    nearest     row numbers of the exact ten nearest to each query
"""

import json
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import usearch
from usearch.index import Index


def main():
    settings = json.loads(sys.argv[1])
    rows, extra, dimension = settings["rows"], settings["extra"], settings["dimension"]
    vectors = np.fromfile(settings["vectors"], dtype=np.float32).reshape(-1, dimension)
    queries = vectors[rows + extra :]
    index = Index(ndim=dimension, metric="cos", dtype="i8")

    def timed(work):
        start = time.perf_counter()
        work()
        return (time.perf_counter() - start) * 1000

    build = timed(lambda: index.add(np.arange(rows), vectors[:rows]))
    found, taken = 0, []
    for query, nearest in zip(queries, settings["nearest"], strict=True):
        start = time.perf_counter()
        matches = index.search(query, 10)
        taken.append((time.perf_counter() - start) * 1000)
        found += len(set(nearest) & set(matches.keys.tolist()))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "index"
        index.save(str(path))
        disk = path.stat().st_size
    added = np.arange(rows, rows + extra)
    add = timed(lambda: index.add(added, vectors[rows : rows + extra]))
    remove = timed(lambda: index.remove(added))
    print(
        json.dumps(
            {
                "version": usearch.__version__,
                "build_ms": build,
                "add_ms": add,
                "delete_ms": remove,
                "p50_ms": float(np.percentile(taken, 50)),
                "p99_ms": float(np.percentile(taken, 99)),
                "recall_at_10": found / (10 * len(queries)),
                "disk_mb": disk / 1e6,
            }
        )
    )


if __name__ == "__main__":
    main()
