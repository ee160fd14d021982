"""A disk with a volatile cache, as one file: a write is durable only after a flush, and a power cut keeps a random part of
the others. Loop devices pass flushes on as fsync. Speaks the kernel's FUSE protocol, so that it needs no library."""

import ctypes
import os
import random
import struct
import subprocess
import threading

BLOCK = 4096
CHUNK = 128 * 1024
IN_HEADER = struct.Struct("<IIQQIIIHH")
OUT_HEADER = struct.Struct("<IiQ")
# Handle, offset and size begin the arguments of reads and writes, which take 40 bytes.
SPAN = struct.Struct("<QQI")
ARGUMENTS = 40
GETATTR, OPEN, READ, WRITE, RELEASE, FSYNC, FLUSH, INIT, INTERRUPT, DESTROY = 3, 14, 15, 16, 18, 20, 25, 26, 36, 38
ENOSYS, ENODEV = 38, 19
CLONE_NEWNS, MS_REC, MS_PRIVATE, MNT_DETACH = 0x20000, 0x4000, 0x40000, 2
ZERO = bytes(BLOCK)
libc = ctypes.CDLL(None, use_errno=True)


def checked(result, doing):
    """Raises the error of a failed call of the C library."""
    if result != 0:
        code = ctypes.get_errno()
        raise OSError(code, f"{doing}: {os.strerror(code)}; cuts of power need root, /dev/fuse and loop devices")


def leave_shared_mounts():
    """Moves this thread, and all processes and threads that it starts, to a mount namespace of their own."""
    checked(libc.unshare(CLONE_NEWNS), "unshare")
    checked(libc.mount(b"none", b"/", None, MS_REC | MS_PRIVATE, None), "making mounts private")


def blocks_of(image):
    """Yields the blocks of a sparse file, with their numbers."""
    with image.open("rb", buffering=0) as opened:
        at, size = 0, image.stat().st_size
        while at < size:
            try:
                at = os.lseek(opened.fileno(), at, os.SEEK_DATA) // BLOCK * BLOCK
            except OSError:
                return
            yield at // BLOCK, os.pread(opened.fileno(), BLOCK, at).ljust(BLOCK, b"\0")
            at += BLOCK


class Disk:
    """The file `path` is the disk, with the blocks of an image. `sector`: bytes that the disk writes as one."""

    def __init__(self, path, image, sector, seed):
        self.path, self.sector, self.dice = path, sector, random.Random(seed)
        self.size = image.stat().st_size
        self.lock = threading.Lock()
        # Counts power cycles: writes from before the last one are ignored.
        self.cycle = 1
        self.durable, self.cached, self.survivors = dict(blocks_of(image)), {}, None
        path.touch()
        self.fuse = os.open("/dev/fuse", os.O_RDWR)
        options = f"fd={self.fuse},rootmode=100600,user_id=0,group_id=0".encode()
        checked(libc.mount(b"disk", bytes(path), b"fuse", 0, options), "mounting a disk")
        threading.Thread(target=self.serve, daemon=True).start()

    def close(self):
        """Removes the disk."""
        libc.umount2(bytes(self.path), MNT_DETACH)

    def cut(self):
        """Cuts the power. Until `power_on`, the disk accepts writes that will be lost."""
        with self.lock:
            survivors = dict(self.durable)
            chance = self.dice.choice([0.0, 0.1, 0.5, 0.9])
            for number, block in self.cached.items():
                old = survivors.get(number, ZERO)
                parts = range(0, BLOCK, self.sector)
                picked = [block if self.dice.random() < chance else old for _ in parts]
                survivors[number] = b"".join(
                    source[at : at + self.sector] for at, source in zip(parts, picked, strict=True)
                )
            self.survivors = survivors

    @property
    def has_power(self):
        """Whether the power is on."""
        return self.survivors is None

    def power_on(self):
        """Continues with what survived the cut. Nothing may use the disk."""
        with self.lock:
            self.durable, self.cached, self.survivors = self.survivors, {}, None
            self.cycle += 1

    def serve(self):
        """Answers the kernel until the disk is removed."""
        while True:
            try:
                request = os.read(self.fuse, CHUNK + BLOCK)
            except OSError as error:
                if error.errno == ENODEV:
                    os.close(self.fuse)
                    return
                continue
            _, code, unique, *_ = IN_HEADER.unpack_from(request)
            with self.lock:
                error, answer = self.answer(code, memoryview(request)[IN_HEADER.size :])
            if code not in (INTERRUPT, DESTROY):
                os.write(self.fuse, OUT_HEADER.pack(OUT_HEADER.size + len(answer), -error, unique) + answer)

    def answer(self, code, body):
        """Returns the error number and the answer of a request."""
        if code == INIT:
            # Protocol 7.31, large writes.
            return 0, struct.pack("<IIIIHHIIHH8I", 7, 31, CHUNK, 1 << 5, 16, 12, CHUNK, 1, 0, 0, *[0] * 8)
        if code == GETATTR:
            attributes = (1, self.size, self.size // 512, 0, 0, 0, 0, 0, 0, 0o100600, 1, 0, 0, 0, BLOCK, 0)
            return 0, struct.pack("<QII6Q10I", 0, 0, 0, *attributes)
        if code == OPEN:
            return 0, struct.pack("<QII", self.cycle, 0, 0)
        if code in (READ, WRITE):
            handle, offset, size = SPAN.unpack_from(body)
            if code == READ:
                return 0, self.read(offset, size)
            if handle == self.cycle:
                self.write(offset, body[ARGUMENTS : ARGUMENTS + size])
            return 0, struct.pack("<II", size, 0)
        if code == FSYNC:
            self.durable.update(self.cached)
            self.cached.clear()
        return (0 if code in (FSYNC, FLUSH, RELEASE) else ENOSYS), b""

    def block(self, number):
        """Returns the contents of a block."""
        return self.cached.get(number) or self.durable.get(number, ZERO)

    def read(self, offset, size):
        """Returns bytes of the disk."""
        first, last = offset // BLOCK, (min(offset + size, self.size) + BLOCK - 1) // BLOCK
        data = b"".join(self.block(number) for number in range(first, last))
        return data[offset - first * BLOCK :][:size]

    def write(self, offset, data):
        """Writes to the cache, which by chance makes an earlier write to the same block durable."""
        while data:
            number, start = divmod(offset, BLOCK)
            part = data[: BLOCK - start]
            old = self.block(number)
            if number in self.cached and self.dice.random() < 0.3:
                self.durable[number] = old
            self.cached[number] = old[:start] + bytes(part) + old[start + len(part) :]
            offset, data = offset + len(part), data[len(part) :]


class FileSystem:
    """A file system on such a disk, mounted at `folder`."""

    def __init__(self, kind, folder, sector, seed):
        self.kind, self.folder = kind, folder / "mounted"
        self.folder.mkdir(parents=True)
        image = folder / "image"
        image.touch()
        os.truncate(image, 512 << 20)
        run(f"mkfs.{kind}", "-q", image)
        self.disk = Disk(folder / "disk", image, sector, seed)
        image.unlink()
        self.mount()

    def mount(self):
        """Mounts it, which repairs it after a cut."""
        run("mount", "-t", self.kind, "-o", "loop", self.disk.path, self.folder)

    def cycle_power(self):
        """Switches a disk on again after a cut. All processes that used it must have ended."""
        run("umount", self.folder)
        self.disk.power_on()
        self.mount()

    def sync(self):
        """Writes everything back, as the kernel does from time to time."""
        opened = os.open(self.folder, os.O_RDONLY)
        libc.syncfs(opened)
        os.close(opened)

    def close(self):
        """Removes it. All processes that used it must have ended."""
        run("umount", self.folder)
        self.disk.close()


def run(*command):
    """Runs a program of the system's administration."""
    folders = [os.environ["PATH"], "/sbin", "/usr/sbin"]
    unpacked = os.environ.get("DEBIAN_FOLDER")
    if unpacked:
        folders = [f"{unpacked}/sbin", f"{unpacked}/usr/sbin", *folders]
    environment = {**os.environ, "PATH": ":".join(folders)}
    done = subprocess.run([*map(str, command)], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}; cuts of power need root and loop devices"
