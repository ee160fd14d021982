"""The built program: where it is, what it is linked with, and for which machines it is."""

import dataclasses
import os
import pathlib
import platform
import re
import shutil
import tomllib

from packing import ROOT, Problem, run

# Former programs: links for one release, so that units and hooks of an older version keep working.
FORMER = ("kimberly-api", "kimberly-embedder", "kimberly-worker")


@dataclasses.dataclass(frozen=True)
class Program:
    """A stripped program, and the machines that it is for."""

    path: pathlib.Path
    version: str
    system: str
    machine: str
    portable: bool
    # Libraries that it loads, such as libc.so.6.
    libraries: tuple[str, ...]

    @property
    def platform(self):
        """Such as linux-x86_64."""
        return f"{self.system}-{self.machine}"

    @property
    def has_openssl(self):
        """Whether OpenSSL is compiled in."""
        return not any(name.startswith("libcrypto") for name in self.libraries)


def target():
    """The folder that cargo builds in."""
    return pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")).resolve()


def version():
    """The version of the workspace."""
    return tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["package"]["version"]


def find(folder):
    """Returns the program in a folder; without a folder, builds it."""
    if folder is None:
        run([ROOT / "deploy/build"])
        folder = target() / "release"
    program = folder / "kimberly"
    if not program.is_file():
        raise Problem(f"{folder} holds no program kimberly; build it with deploy/build, or name another folder")
    return program


def prepare(built, cache, is_portable):
    """Strips a copy of the program and looks at what it needs."""
    system = {"Linux": "linux", "Darwin": "macos"}.get(platform.system())
    if system is None:
        raise Problem(f"there are no packages for {platform.system()}, only for Linux and macOS; on Windows use WSL")
    path = cache / "kimberly"
    shutil.copyfile(built, path)
    path.chmod(0o755)
    run(["strip", path])
    printed = run([path, "--version"]).split()[-1]
    if printed != version():
        raise Problem(f"{built} has the version {printed}, this checkout {version()}; build it again with deploy/build")
    libraries = needed(path) if system == "linux" else ()
    if is_portable:
        portable_or_refuse(path, libraries)
    return Program(path, printed, system, platform.machine(), is_portable, tuple(libraries))


def needed(file):
    """Returns the libraries that an ELF file loads."""
    return re.findall(r"\(NEEDED\).*\[(.+)\]", run(["readelf", "--dynamic", "--wide", file]))


# The oldest glibc that portable programs run with: that of Debian 10, RHEL 8 and Ubuntu 18.10.
GLIBC = (2, 28)
# Parts of glibc, and of nothing else.
OF_GLIBC = re.compile(r"(ld-linux.*|lib(c|m|dl|rt|pthread|util|resolv))\.so\.\d+")


def portable_or_refuse(path, libraries):
    """Refuses a program that needs more than glibc, or a newer one."""
    if foreign := [name for name in libraries if not OF_GLIBC.fullmatch(name)]:
        raise Problem(f"the portable program loads {', '.join(foreign)}; link it statically")
    symbols = run(["readelf", "--version-info", "--wide", path])
    newest = max(tuple(map(int, found.split("."))) for found in re.findall(r"GLIBC_(\d+(?:\.\d+)+)", symbols))
    if newest > GLIBC:
        raise Problem(f"the portable program needs glibc {'.'.join(map(str, newest))}, newer than {GLIBC[0]}.{GLIBC[1]}")
