"""The npm package `kimberly`: the program as a command, and the TypeScript client as its exports."""

import json

from clients import TYPESCRIPT
from packing import ROOT, Entry, gzipped, tar

README = """\
# Kimberly

Memory for AI assistants, on your own machine: `npx kimberly up`, then

    import { Memory } from "kimberly";
"""
SYSTEMS = {"linux": "linux", "macos": "darwin"}
PROCESSORS = {"x86_64": "x64", "aarch64": "arm64", "arm64": "arm64"}


def package(kimberly):
    """Returns package.json: that of the client, with the program."""
    client = json.loads((TYPESCRIPT / "package.json").read_text())
    kept = {key: client[key] for key in ("version", "license", "type", "exports", "dependencies")}
    assert kept["version"] == kimberly.version, "the client has another version"
    made = {
        "name": "kimberly",
        "description": "Memory for AI assistants on your own machine: the program and its client",
        **kept,
        "bin": {"kimberly": "bin/kimberly"},
        "os": [SYSTEMS[kimberly.system]],
        "cpu": [PROCESSORS[kimberly.machine]],
        "engines": {"node": ">=20"},
    }
    return made | ({"libc": ["glibc"]} if kimberly.system == "linux" else {})


def write(out, kimberly, client, licences):
    """Writes the package as npm packs it: everything below `package`."""
    inside = [
        Entry.of("package/bin/kimberly", kimberly.path, 0o755),
        Entry("package/package.json", (json.dumps(package(kimberly), indent=2) + "\n").encode()),
        Entry("package/README.md", README.encode()),
        Entry.of("package/LICENSE", ROOT / "LICENSE"),
        Entry("package/THIRD-PARTY.txt", licences),
        *(Entry(f"package/{file.path}", file.content) for file in client),
    ]
    (out / f"kimberly-{kimberly.version}.tgz").write_bytes(gzipped(tar(inside)))
