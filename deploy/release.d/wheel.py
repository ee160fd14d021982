"""The wheel `kimberly`: the program as a script. Python's client is the wheel `kimberly-client`, which it requires, so that both
never own the same file, and programs that only call a server install the client alone."""

from packing import ROOT, Entry, write_wheel

DESCRIPTION = """\
# Kimberly

Memory for AI assistants, on your own machine. `pip install kimberly` brings the program and Python's client:

    kimberly up

    from kimberly import Memory

`pip install kimberly-client` brings the client alone.
"""


def tag(kimberly):
    """For which machines pip installs it. Only a portable program may say that it runs on any Linux."""
    if kimberly.system == "macos":
        return f"py3-none-macosx_11_0_{kimberly.machine}"
    return f"py3-none-{'manylinux_2_28' if kimberly.portable else 'linux'}_{kimberly.machine}"


def write(out, kimberly, client, licences):
    """Writes the wheel, which requires the client of the same version."""
    version, info = kimberly.version, f"kimberly-{kimberly.version}.dist-info"
    assert client.startswith(f"kimberly_client-{version}-"), f"the client is {client}"
    metadata = (
        f"Metadata-Version: 2.4\nName: kimberly\nVersion: {version}\nSummary: Memory for AI assistants on your own machine\n"
        f"License-Expression: Apache-2.0\nLicense-File: LICENSE\nLicense-File: THIRD-PARTY.txt\nRequires-Python: >=3.10\n"
        f"Requires-Dist: kimberly-client=={version}\nDescription-Content-Type: text/markdown\n\n{DESCRIPTION}"
    )
    about = f"Wheel-Version: 1.0\nGenerator: kimberly\nRoot-Is-Purelib: false\nTag: {tag(kimberly)}\n"
    write_wheel(out / f"kimberly-{version}-{tag(kimberly)}.whl", info, [
        Entry.of(f"kimberly-{version}.data/scripts/kimberly", kimberly.path, 0o755),
        Entry(f"{info}/METADATA", metadata.encode()),
        Entry(f"{info}/WHEEL", about.encode()),
        Entry.of(f"{info}/licenses/LICENSE", ROOT / "LICENSE"),
        Entry(f"{info}/licenses/THIRD-PARTY.txt", licences),
    ])
