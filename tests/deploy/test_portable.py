"""The portable program runs on the oldest and the newest Debian that there is, with nothing but glibc. It takes a whole build, so only
with KIMBERLY_TEST_LONG (conftest.py)."""

import contextlib
import re
import subprocess

import debian
import files
import pytest
import session
from test_release import one, run

# From old to new. Older ones than the first have an older glibc; which of them a mirror still has differs.
RELEASES = ("buster", "bullseye", "bookworm", "trixie", "forky")
MOST_BYTES = 60_000_000


def root_of(release, folder):
    """Makes a root of that release with glibc alone, or returns nothing if the mirror does not have the release."""
    # Of the release itself, not of its updates.
    mirror = re.search(r"500 (\S+) \w+/main ", run("apt-cache", "policy")).group(1)
    folder.mkdir()
    # What is tested is the program, not the origin of these packages: keys of old releases have expired.
    (folder / "sources.list").write_text(f"deb [trusted=yes] {mirror} {release} main\n")
    options = ("-o", f"Dir::Etc::SourceList={folder}/sources.list", "-o", "Dir::Etc::SourceParts=/dev/null",
               "-o", "Acquire::Check-Valid-Until=false")
    with contextlib.suppress(debian.Problem):
        root = debian.Packages(folder / "apt", *options).get("libc6")
        # From Debian 13 on all of it is below usr, and a package of its own makes these links.
        for name in ("lib", "lib64"):
            if not (root / name).exists():
                (root / name).symlink_to(f"usr/{name}")
        return root
    return None


@pytest.fixture(scope="module")
def portable(tmp_path_factory):
    out = tmp_path_factory.mktemp("portable") / "dist"
    run(files.DEPLOY / "release", "--portable", "--out", out)
    return out


@pytest.mark.parametrize("order", [1, -1], ids=["oldest", "newest"])
def test_a_portable_program_needs_only_glibc(portable, order, tmp_path):
    roots = (root_of(release, tmp_path / release) for release in RELEASES[::order])
    root = next(root for root in roots if root is not None)
    assert not list(root.rglob("libssl*")) and not list(root.rglob("libcrypto*"))
    run("tar", "--extract", "--file", one(portable, "kimberly-*-linux-*.tar.gz"), "--directory", tmp_path)
    (top,) = tmp_path.glob("kimberly-*")
    assert sum(path.stat().st_size for path in top.rglob("*") if path.is_file() and not path.is_symlink()) <= MOST_BYTES
    run("cp", "--recursive", top / "bin", root / "kimberly")
    for name in ("tmp", "proc", "dev", "home"):
        (root / name).mkdir(exist_ok=True)
    # Programs start themselves by /proc/self/exe.
    # Mounts in a namespace of their own end with the program.
    mounted = f'mount --bind /proc {root}/proc && mount --rbind /dev {root}/dev && exec chroot {root} /kimberly/kimberly "$@"'
    kimberly = ["/usr/bin/unshare", "--mount", "/bin/sh", "-euc", mounted, "sh"]
    of = session.environment("/home")
    with session.up(kimberly, of, tmp_path):
        session.tell(kimberly, of, tmp_path)


def test_the_portable_wheel_is_for_any_linux(portable):
    assert "-manylinux_2_28_" in one(portable, "kimberly-*.whl").name
