"""Builds a program that runs on any Linux with glibc 2.28 or later: zig links it, and OpenSSL is compiled in."""

import os
import platform
import sys

import program
from packing import ROOT, Problem, run

# Pinned, so that the same commit gives the same program.
ZIG = ("ziglang==0.17.1", "cargo-zigbuild==0.24.1")
# What people download takes longer to build and is smaller; packages that the profile names keep their level.
SMALL = {"CARGO_PROFILE_RELEASE_OPT_LEVEL": "s", "CARGO_PROFILE_RELEASE_LTO": "thin", "CARGO_PROFILE_RELEASE_CODEGEN_UNITS": "1"}
FEATURES = ["--features", "kimberly-store/vendored-openssl"]


def build(cache):
    """Builds the program and returns its path."""
    if platform.system() != "Linux":
        raise Problem("--portable builds for Linux; on macOS build with `cargo build --release " + " ".join(FEATURES) + "`")
    tools = tool_folder(cache / "zig", ZIG)
    # Only this machine's processor: Rust's standard library for another one comes from rustup, which this does not call.
    triple = f"{platform.machine()}-unknown-linux-gnu"
    path = f"{tools}:{os.environ['PATH']}"
    environment = {**os.environ, **SMALL, "PATH": path, "CARGO_TARGET_DIR": str(program.target() / "portable")}
    glibc = ".".join(map(str, program.GLIBC))
    run([tools / "cargo-zigbuild", "zigbuild", "--release", "--locked", "--target", f"{triple}.{glibc}", *FEATURES],
        cwd=ROOT, env=environment)
    return program.target() / "portable" / triple / "release" / "kimberly"


def tool_folder(folder, packages):
    """Installs Python packages into an environment of its own and returns the folder of their programs."""
    stamp = folder / "installed"
    if not stamp.exists() or stamp.read_text() != " ".join(packages):
        run([sys.executable, "-m", "venv", "--clear", folder])
        if packages:
            run([folder / "bin/python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *packages])
        stamp.write_text(" ".join(packages))
    return folder / "bin"
