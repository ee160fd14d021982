"""What the program is made of: the SBOM in the format of CycloneDX, and the licences of all parts."""

import dataclasses
import functools
import json
import pathlib
import re
import tomllib
import uuid

import portable
from packing import ROOT, Problem, run, timestamp

LICENCE_FILE = re.compile(r"(licen[cs]e|copying|copyright|notice|unlicense)", re.I)
MIT = """\
Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation files (the
"Software"), to deal in the Software without restriction, including without limitation the rights to use, copy, modify, merge, publish,
distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is furnished to do so, subject to
the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF
MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR
ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH
THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.
"""
BLESSING = "The authors of SQLite have dedicated it to the public domain."
# C libraries that packages of this name compile into the program: name, version within that of the package, licence, package URL.
SOURCES = (
    ("openssl-src", "OpenSSL", r"\+([\d.]+)", "Apache-2.0", "pkg:generic/openssl@{}"),
    ("sqlcipher-src", "SQLCipher", r"sqlcipher-([\d.]+)", "BSD-3-Clause", "pkg:github/sqlcipher/sqlcipher@v{}"),
    ("sqlcipher-src", "SQLite", r"sqlite-([\d.]+)", "blessing", "pkg:generic/sqlite@{}"),
)


@dataclasses.dataclass(frozen=True)
class Part:
    """A library inside the program."""

    name: str
    version: str
    licence: str
    url: str
    folder: pathlib.Path | None
    authors: tuple[str, ...] = ()
    sha256: str | None = None
    needs: tuple[str, ...] = ()

    def texts(self):
        """Returns its licences: its own files, or else what its expression names."""
        found = []
        for path in sorted(self.folder.iterdir()) if self.folder else ():
            if LICENCE_FILE.match(path.name):
                found += [path] if path.is_file() else sorted(inner for inner in path.iterdir() if inner.is_file())
        texts = [path.read_text(encoding="utf-8", errors="replace").strip() for path in found if path.suffix not in (".rs", ".toml")]
        if texts:
            return texts
        if self.licence == "blessing":
            return [BLESSING]
        if "MIT" in self.licence:
            return [f"Copyright (c) {', '.join(self.authors) or f'the authors of {self.name}'}\n\n{MIT}".strip()]
        if "Apache-2.0" in self.licence:
            return [(ROOT / "LICENSE").read_text().strip()]
        raise Problem(f"{self.name} {self.version} has no file with its licence ({self.licence}); add its text to deploy/release.d/parts.py")


@functools.cache
def locked():
    """The packages of Cargo.lock, by name and version."""
    packages = tomllib.loads((ROOT / "Cargo.lock").read_text())["package"]
    return {(one["name"], one["version"]): one for one in packages}


def graph(kimberly):
    """Returns the packages of others in the program, without those that only build or test it."""
    host = re.search(r"^host: (\S+)$", run(["rustc", "-vV"]), re.M).group(1)
    features = portable.FEATURES if kimberly.has_openssl else []
    command = ["cargo", "metadata", "--locked", "--format-version", "1", "--filter-platform", host, *features]
    told = json.loads(run(command, cwd=ROOT))
    # Without the features that only tests in other packages of the workspace enable.
    tree = run(["cargo", "tree", "--locked", "--edges", "normal", "--prefix", "none", "--format", "{p}", *features], cwd=ROOT)
    linked = set(re.findall(r"^(\S+) v(\S+)", tree, re.M))
    packages = {one["id"]: one for one in told["packages"]}
    nodes = {one["id"]: one for one in told["resolve"]["nodes"]}
    waiting, used = list(told["workspace_default_members"]), {}
    while waiting:
        if (one := waiting.pop()) in used:
            continue
        normal = (dep["pkg"] for dep in nodes[one]["deps"] if any(kind["kind"] is None for kind in dep["dep_kinds"]))
        used[one] = [dep for dep in normal if (packages[dep]["name"], packages[dep]["version"]) in linked]
        waiting += used[one]
    for one in used:
        package = packages[one]
        if package["source"] is not None:
            needs = (purl(packages[other]) for other in used[one] if packages[other]["source"] is not None)
            yield Part(
                package["name"], package["version"], expression(package), purl(package), pathlib.Path(package["manifest_path"]).parent,
                tuple(package["authors"]), locked()[package["name"], package["version"]].get("checksum"), tuple(sorted(needs)),
            )


def purl(package):
    return f"pkg:cargo/{package['name']}@{package['version']}"


def expression(package):
    """Returns a package's licence in SPDX's notation; older packages write a slash for OR."""
    return re.sub(r"\s*/\s*", " OR ", package["license"] or "LicenseRef-see-file")


def compiled(kimberly, folders):
    """Returns the C libraries whose sources are packages that only the build depends on."""
    for package, name, version, licence, url in SOURCES:
        if package == "openssl-src" and not kimberly.has_openssl:
            continue
        (full,) = [version for name, version in locked() if name == package]
        own = re.search(version, full).group(1)
        sources = next((folder / f"{package}-{full}" for folder in folders if (folder / f"{package}-{full}").is_dir()), None)
        inner = sources / name.lower() if sources and (sources / name.lower()).is_dir() else None
        yield Part(name, own, licence, url.format(own), inner)


def documents(kimberly):
    """Returns the SBOM and the text with all licences."""
    parts = list(graph(kimberly))
    folders = {part.folder.parent for part in parts}
    parts += compiled(kimberly, folders)
    parts.sort(key=lambda part: (part.name.lower(), part.version))
    return sbom(kimberly, parts), licences(parts)


def sbom(kimberly, parts):
    """Returns the SBOM."""
    own = f"pkg:generic/kimberly@{kimberly.version}"

    def component(part):
        hashes = {"hashes": [{"alg": "SHA-256", "content": part.sha256}]} if part.sha256 else {}
        return {"type": "library", "bom-ref": part.url, "name": part.name, "version": part.version,
                "licenses": [{"expression": part.licence}], "purl": part.url, **hashes}

    needed = {url for part in parts for url in part.needs}
    roots = sorted(part.url for part in parts if part.url not in needed)
    document = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, own + kimberly.platform + timestamp())}",
        "version": 1,
        "metadata": {
            "timestamp": timestamp(),
            "component": {"type": "application", "bom-ref": own, "name": "kimberly", "version": kimberly.version, "purl": own,
                          "licenses": [{"expression": "Apache-2.0"}]},
        },
        "components": [component(part) for part in parts],
        "dependencies": [{"ref": own, "dependsOn": roots}, *({"ref": part.url, "dependsOn": list(part.needs)} for part in parts)],
    }
    return (json.dumps(document, indent=1) + "\n").encode()


def licences(parts):
    """Returns the licences: each text once, below the names of those that it is for."""
    holders = {}
    for part in parts:
        for text in part.texts():
            holders.setdefault(text, []).append(f"{part.name} {part.version} ({part.licence})")
    sections = [f"{'=' * 78}\n" + "\n".join(names) + f"\n{'-' * 78}\n{text}\n" for text, names in holders.items()]
    return ("Kimberly contains software of others, under these licences.\n\n" + "\n".join(sections)).encode()
