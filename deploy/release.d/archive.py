"""The archive for machines without a package manager of any language."""

import program
from packing import ROOT, Entry, gzipped, run, tar

README = """\
# Kimberly {version}

    bin/kimberly up          # starts everything, prints the address; Ctrl-C stops it
    bin/kimberly remember "Ana's train to Lisbon leaves on Friday at 9:40."
    bin/kimberly recall "When does the train leave?"

`bin/kimberly --help` lists all commands. To install it for all accounts, copy bin/* to /usr/local/bin; share/systemd has units,
share/completions completions for shells, and share/kimberly.sample.toml every setting. LICENSE is Kimberly's licence,
THIRD-PARTY.txt has those of its dependencies, and sbom.cdx.json lists them.
"""


def entries(kimberly, sbom, licences):
    """Returns what the archive holds."""
    yield Entry.of("bin/kimberly", kimberly.path, 0o755)
    for name in program.FORMER:
        yield Entry(f"bin/{name}", link="kimberly")
    for file in sorted((ROOT / "deploy/systemd").iterdir()):
        yield Entry.of(f"share/systemd/{file.name}", file)
    for file in ("kimberly.sample.toml", "postgres/roles.sql"):
        yield Entry.of(f"share/{file}", ROOT / "deploy" / file)
    for shell in ("bash", "fish", "zsh"):
        yield Entry(f"share/completions/kimberly.{shell}", run([kimberly.path, "completion", shell]).encode())
    yield Entry.of("LICENSE", ROOT / "LICENSE")
    yield Entry("README.md", README.format(version=kimberly.version).encode())
    yield Entry("THIRD-PARTY.txt", licences)
    yield Entry("sbom.cdx.json", sbom)


def write(out, kimberly, sbom, licences):
    """Writes the archive, with one folder at its top."""
    top = f"kimberly-{kimberly.version}-{kimberly.platform}"
    inside = [Entry(f"{top}/{one.path}", one.content, one.mode, one.link) for one in entries(kimberly, sbom, licences)]
    (out / f"{top}.tar.gz").write_bytes(gzipped(tar(inside)))
