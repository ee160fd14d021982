"""Builds a wheel of Kimberly's programs, which `pip install` copies to `bin` of an environment (PEP 517).

`KIMBERLY_BIN_DIR` names a folder with built programs; without it, deploy/build builds them.
"""

import base64
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sysconfig
import tempfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAMS = ("kimberly",)


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """Writes the wheel and returns its name."""
    version = re.search(r'^version = "(.+)"$', (ROOT / "Cargo.toml").read_text(), re.M).group(1)
    tag = "py3-none-" + re.sub(r"[-.]", "_", sysconfig.get_platform())
    info = f"kimberly-{version}.dist-info"
    texts = {
        "METADATA": f"Metadata-Version: 2.1\nName: kimberly\nVersion: {version}\n"
                    "Summary: Memory for AI assistants on your own machine\nLicense: Apache-2.0\nRequires-Python: >=3.10\n",
        "WHEEL": f"Wheel-Version: 1.0\nGenerator: kimberly\nRoot-Is-Purelib: false\nTag: {tag}\n",
    }
    name = f"kimberly-{version}-{tag}.whl"
    record = []
    with zipfile.ZipFile(pathlib.Path(wheel_directory) / name, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as wheel:

        def add(path, content, mode=0o644):
            entry = zipfile.ZipInfo(path, (1980, 1, 1, 0, 0, 0))
            entry.external_attr = (0o100000 | mode) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            wheel.writestr(entry, content, compresslevel=1)
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            record.append(f"{path},sha256={digest},{len(content)}\n")

        for program in PROGRAMS:
            add(f"kimberly-{version}.data/scripts/{program}", stripped(programs() / program), 0o755)
        for file, text in texts.items():
            add(f"{info}/{file}", text.encode())
        wheel.writestr(f"{info}/RECORD", "".join(record) + f"{info}/RECORD,,\n")
    return name


def build_sdist(sdist_directory, config_settings=None):
    """Not supported: the checkout is the source."""
    raise SystemExit("Kimberly has no source distribution: run `pip install .` or `pip wheel .` in a checkout")


def programs():
    """Returns the folder of the programs; builds them if necessary."""
    if given := os.environ.get("KIMBERLY_BIN_DIR"):
        return pathlib.Path(given)
    subprocess.run([ROOT / "deploy" / "build"], check=True)
    return pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "release"


def stripped(program):
    """Returns a program without its symbols, which are a third of it, if this machine can strip them."""
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder) / program.name
        shutil.copyfile(program, copy)
        if shutil.which("strip"):
            subprocess.run(["strip", copy], check=True)
        return copy.read_bytes()
