"""Debian's packages for the image: downloaded with apt, unpacked with dpkg, without root and without changing this system."""

import pathlib
import re
import shutil

from packing import Problem, run

# Which packages have a library, the newest name first; all others are parts of glibc.
PACKAGES = {
    r"lib(ssl|crypto)\.so\.3": ("libssl3t64", "libssl3"),
    r"libgcc_s\.so\.1": ("libgcc-s1",),
    r"libz\.so\.1": ("zlib1g",),
    r"libzstd\.so\.1": ("libzstd1",),
    r".*": ("libc6",),
}


class Packages:
    """Downloaded packages, below a folder. Options for apt may name other sources than this system's."""

    def __init__(self, folder, *options):
        self.folder = folder
        self.unpacked = {}
        shutil.rmtree(folder, ignore_errors=True)
        (folder / "lists/partial").mkdir(parents=True)
        (folder / "archives/partial").mkdir(parents=True)
        # Without the installed packages, so that apt takes the newest that it can download.
        self.options = ["--quiet=2", "-o", f"Dir::State::Lists={folder}/lists", "-o", "Dir::State::status=/dev/null",
                        "-o", f"Dir::Cache={folder}",
                        "-o", "Debug::NoLocking=true", "-o", "APT::Sandbox::User=", *options]
        run(["apt-get", *self.options, "update"])

    def get(self, *names):
        """Downloads the newest version of the first of these packages that there is, and returns the folder with its files."""
        for name in names:
            if name in self.unpacked:
                return self.unpacked[name]
        name = next((name for name in names if self._is_known(name)), None)
        if name is None:
            raise Problem(f"apt knows no package {' or '.join(names)}; run this on Debian 12 or Ubuntu 22.04, or later ones")
        run(["apt-get", *self.options, "download", name], cwd=self.folder)
        (package,) = self.folder.glob(f"{name}_*.deb")
        into = self.folder / name
        run(["dpkg-deb", "--extract", package, into])
        run(["dpkg-deb", "--control", package, self.folder / f"{name}.control"])
        self.unpacked[name] = into
        return into

    def _is_known(self, name):
        try:
            return bool(run(["apt-cache", *self.options, "show", name]))
        except Problem:
            return False

    def library(self, name):
        """Returns the file of a library."""
        names = next(names for pattern, names in PACKAGES.items() if re.fullmatch(pattern, name))
        found = sorted(path for path in self.get(*names).rglob(name) if "/lib" in str(path))
        if not found:
            raise Problem(f"{names[0]} has no {name}; link the program without it, or add its package to deploy/release.d/debian.py")
        return pathlib.Path(found[0]).resolve()

    def copyright(self, name):
        """Returns the file with the licences of a package, which may be that of another one."""
        documents = self.get(name) / "usr/share/doc" / name
        return self.copyright(documents.readlink().name) if documents.is_symlink() else documents / "copyright"

    def control(self, name):
        """Returns what dpkg stores about a package, by which scanners know its version."""
        return (self.folder / f"{name}.control/control").read_bytes()
