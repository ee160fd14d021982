"""The clients that packages contain, built from the protos: Python's wheel and the compiled TypeScript."""

import importlib.util
import os
import pathlib
import shutil
import sys
import tempfile

from packing import ROOT, Entry, epoch, run
from portable import tool_folder

PROTO = ROOT / "proto"
TYPESCRIPT = PROTO / "clients/typescript"


def python(out, cache):
    """Builds the wheel of the client alone, as `pip install ./proto/clients/python` does, and returns its name."""
    # Some systems have Python without pip, but with its module venv.
    python = sys.executable if importlib.util.find_spec("pip") else tool_folder(cache / "python", ()) / "python"
    with tempfile.TemporaryDirectory() as folder:
        # A copy without generated files, which may be those of another version of the generator.
        copy = pathlib.Path(folder) / "proto"
        ignored = shutil.ignore_patterns("generated", "build", "*.egg-info", "typescript", "go", "java", "released")
        shutil.copytree(PROTO, copy, ignore=ignored)
        run([python, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check", "--no-deps", "--wheel-dir", out,
             copy / "clients/python"], env={**os.environ, "SOURCE_DATE_EPOCH": str(epoch())})
    (wheel,) = out.glob("kimberly_client-*.whl")
    return wheel.name


def typescript(cache):
    """Compiles the client, unless that was done since its sources changed, and returns its files."""
    built = TYPESCRIPT / "dist/src/memory.js"
    sources = [TYPESCRIPT / "package.json", *TYPESCRIPT.glob("src/*.ts"), *PROTO.glob("kimberly/v1/*.proto")]
    if not built.exists() or built.stat().st_mtime < max(path.stat().st_mtime for path in sources):
        tools = tool_folder(cache / "buf", ("buf-bin",))
        if not (ROOT / "node_modules").exists():
            run(["npm", "ci", "--loglevel=error"], cwd=ROOT)
        environment = {**os.environ, "PATH": f"{tools}:{ROOT / 'node_modules/.bin'}:{os.environ['PATH']}"}
        run([PROTO / "clients/generate", "typescript"], env=environment)
        run([ROOT / "node_modules/.bin/tsc", "--project", TYPESCRIPT / "tsconfig.json"])
    folders = (TYPESCRIPT / "dist/src", TYPESCRIPT / "dist/generated")
    files = sorted(path for folder in folders for path in folder.rglob("*") if path.is_file())
    return [Entry.of(path.relative_to(TYPESCRIPT).as_posix(), path) for path in files]
