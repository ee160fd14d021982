"""Files in packages, written so that the same content gives the same bytes: sorted, with one time and one owner."""

import base64
import dataclasses
import functools
import gzip
import hashlib
import io
import os
import pathlib
import subprocess
import tarfile
import time
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
# The earliest time that zip files can name.
EARLIEST = 315532800


class Problem(Exception):
    """What is wrong, and what to do."""


@dataclasses.dataclass(frozen=True)
class Entry:
    """A file, a link, or an empty folder (no content) of a package."""

    path: str
    content: bytes | None = None
    mode: int = 0o644
    link: str | None = None
    owner: int = 0

    @classmethod
    def of(cls, path, file, mode=0o644):
        """Reads a file of this machine."""
        return cls(path, pathlib.Path(file).read_bytes(), mode)


def run(command, **options):
    """Runs a command and returns its output; if it fails, its messages are the problem."""
    command = [str(part) for part in command]
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False, **options)
    except FileNotFoundError:
        raise Problem(f"there is no program {command[0]}; install it and run this again") from None
    if done.returncode != 0:
        shown = "\n".join((done.stdout + done.stderr).strip().splitlines()[-20:])
        raise Problem(f"`{' '.join(command)}` failed; mend what it names and run this again:\n{shown}")
    return done.stdout


@functools.cache
def epoch():
    """The time of all entries: SOURCE_DATE_EPOCH, else that of the commit, else 1980."""
    if given := os.environ.get("SOURCE_DATE_EPOCH"):
        return max(int(given), EARLIEST)
    try:
        return max(int(run(["git", "-C", ROOT, "show", "--no-patch", "--format=%ct", "HEAD"])), EARLIEST)
    except Problem:
        return EARLIEST


def timestamp():
    """The same time in RFC 3339."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(epoch()))


def tar(entries, folders=()):
    """Returns a tar file. Folders are written before their entries; `folders` are entries for those with other rights."""
    named = {entry.path: entry for entry in folders}
    for entry in entries:
        for parent in pathlib.PurePosixPath(entry.path).parents:
            if str(parent) != ".":
                named.setdefault(str(parent), Entry(str(parent), mode=0o755))
        named[entry.path] = entry
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as out:
        for path in sorted(named):
            entry = named[path]
            info = tarfile.TarInfo(path)
            info.mode, info.mtime, info.uid, info.gid = entry.mode, epoch(), entry.owner, entry.owner
            if entry.link is not None:
                info.type, info.linkname, info.mode = tarfile.SYMTYPE, entry.link, 0o777
            elif entry.content is None:
                info.type = tarfile.DIRTYPE
            else:
                info.size = len(entry.content)
            out.addfile(info, io.BytesIO(entry.content or b""))
    return packed.getvalue()


def gzipped(content):
    """Compresses without a name and a time. Level 6 takes twice as long as 4 and saves 3 %."""
    return gzip.compress(content, compresslevel=4, mtime=0)


def write_wheel(path, info, entries):
    """Writes a wheel; `info` is its dist-info folder, whose RECORD is made here."""
    record = []
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=4) as out:

        def add(entry):
            member = zipfile.ZipInfo(entry.path, time.gmtime(epoch())[:6])
            member.external_attr = (0o100000 | entry.mode) << 16
            member.compress_type = zipfile.ZIP_DEFLATED
            out.writestr(member, entry.content, compresslevel=4)

        for entry in sorted(entries, key=lambda entry: entry.path):
            add(entry)
            digest = base64.urlsafe_b64encode(hashlib.sha256(entry.content).digest()).rstrip(b"=").decode()
            record.append(f"{entry.path},sha256={digest},{len(entry.content)}\n")
        add(Entry(f"{info}/RECORD", ("".join(record) + f"{info}/RECORD,,\n").encode()))


def write_checksums(folder):
    """Writes SHA256SUMS, which `sha256sum --check` reads."""
    names = sorted(path.name for path in folder.iterdir())
    lines = [f"{hashlib.sha256((folder / name).read_bytes()).hexdigest()}  {name}\n" for name in names]
    (folder / "SHA256SUMS").write_text("".join(lines))
