"""What deploy/release packs works where there is neither Rust nor a checkout, and says what is inside."""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile

import files
import session
import yaml

PYTHON = """
import os
from kimberly import Memory

with Memory(os.environ["KIMBERLY_SERVER"]) as memory:
    memory.add("Bea keeps seven hens")
    print(memory.search("who has hens?")[0].memory.content)
"""
JAVASCRIPT = """
import { Memory } from "kimberly";

const memory = new Memory({ url: process.env.KIMBERLY_SERVER });
await memory.add("Bea keeps seven hens");
console.log((await memory.search("who has hens?"))[0].memory.content);
memory.close();
"""


def one(dist, pattern):
    (found,) = dist.glob(pattern)
    return found


def run(*command, **options):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, **options)
    assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
    return done.stdout


def test_the_archive_runs_where_it_is_unpacked(dist, tmp_path):
    run("tar", "--extract", "--file", one(dist, "kimberly-*-linux-*.tar.gz"), "--directory", tmp_path)
    (top,) = tmp_path.iterdir()
    of = session.environment(tmp_path, top / "bin")
    with session.up([top / "bin/kimberly"], of, tmp_path):
        session.tell([top / "bin/kimberly"], of, tmp_path)
    assert {"LICENSE", "README.md", "THIRD-PARTY.txt", "bin", "sbom.cdx.json", "share"} == set(os.listdir(top))
    # Units and hooks of older versions name the former programs.
    assert {os.readlink(top / "bin" / f"kimberly-{name}") for name in files.PROCESSES} == {"kimberly"}
    assert {unit.name for unit in files.SYSTEMD.iterdir()} == set(os.listdir(top / "share/systemd"))
    assert "kimberly" in (top / "share/completions/kimberly.bash").read_text()


def test_pip_installs_the_program_and_the_client(dist, tmp_path):
    run(sys.executable, "-m", "venv", tmp_path / "venv")
    tools = tmp_path / "venv/bin"
    wheels = sorted(dist.glob("*.whl"))
    run(tools / "pip", "install", "--quiet", "--disable-pip-version-check", "--only-binary", ":all:", *wheels)
    of = session.environment(tmp_path, tools)
    with session.up([tools / "kimberly"], of, tmp_path):
        session.tell([tools / "kimberly"], of, tmp_path)
        assert run(tools / "python", "-c", PYTHON, env=of, cwd=tmp_path) == "Bea keeps seven hens\n"
    owned = [set(zipfile.ZipFile(wheel).namelist()) for wheel in wheels]
    assert len(owned) == 2 and not owned[0] & owned[1], "both wheels own the same file"


def test_npm_installs_the_program_and_the_client(dist, tmp_path):
    (tmp_path / "package.json").write_text('{"private": true, "type": "module"}')
    (tmp_path / "session.js").write_text(JAVASCRIPT)
    of = session.environment(tmp_path)
    run("npm", "install", "--no-audit", "--no-fund", "--loglevel=error", one(dist, "kimberly-*.tgz"), cwd=tmp_path)
    with session.up(["npx", "kimberly"], of, tmp_path):
        version = run("npx", "kimberly", "--version", env=of, cwd=tmp_path).split()[-1]
        assert version in one(dist, "kimberly-*.tgz").name
        session.tell([tmp_path / "node_modules/.bin/kimberly"], of, tmp_path)
        assert run("node", "session.js", env=of, cwd=tmp_path) == "Bea keeps seven hens\n"


def test_checksums_are_those_of_all_files(dist):
    listed = dict(reversed(line.split("  ")) for line in (dist / "SHA256SUMS").read_text().splitlines())
    assert listed == {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in dist.iterdir() if path.name != "SHA256SUMS"}


def test_the_list_of_parts_is_whole_and_each_part_has_its_licence(dist):
    document = json.loads(one(dist, "*.cdx.json").read_text())
    assert (document["bomFormat"], document["specVersion"]) == ("CycloneDX", "1.5")
    parts = {part["bom-ref"]: part for part in document["components"]}
    assert {"tonic", "sqlx-core", "SQLCipher", "SQLite"} <= {part["name"] for part in parts.values()} and len(parts) > 200
    assert not {"proptest", "rcgen"} & {part["name"] for part in parts.values()}, "only tests use these"
    named = {ref for one in document["dependencies"] for ref in [one["ref"], *one["dependsOn"]]}
    assert named == {document["metadata"]["component"]["bom-ref"], *parts}
    texts = (dist / "THIRD-PARTY.txt").read_text()
    missing = [ref for ref, part in parts.items() if f"\n{part['name']} {part['version']} (" not in texts]
    assert not missing and "\n\n\n\n" not in texts[:200]


def test_packages_hold_no_time_and_account_of_the_machine(dist):
    times = set()
    for pattern in ("*.tar.gz", "*.tgz", "*-image-*.tar"):
        with tarfile.open(one(dist, pattern)) as packed:
            members = packed.getmembers()
        assert [member.name for member in members] == sorted(member.name for member in members), pattern
        assert {member.uid for member in members} == {0} and {member.uname for member in members} == {""}, pattern
        times |= {member.mtime for member in members}
    assert len(times) == 1


def test_a_program_of_another_version_is_refused_and_no_foreign_folder_is_emptied(tmp_path):
    empty, other, kept = tmp_path / "empty", tmp_path / "other", tmp_path / "kept"
    for folder in (empty, other, kept):
        folder.mkdir()
    (empty / "kimberly").write_bytes(b"")
    # Any program that answers --version with a number of its own.
    shutil.copyfile(shutil.which("bash"), other / "kimberly")
    cases = (("holds no program", tmp_path / "none"), ("strip", empty), ("has the version", other))
    for what, programs in cases:
        options = ["--programs", programs]
        done = subprocess.run([files.DEPLOY / "release", "--out", tmp_path / "dist", *options], capture_output=True, text=True)
        assert done.returncode == 1 and what in done.stderr and "Traceback" not in done.stderr, done.stderr
    assert not (tmp_path / "dist").exists()
    (kept / "letter.txt").write_text("dear")
    done = subprocess.run([files.DEPLOY / "release", "--out", kept, "--programs", other], capture_output=True, text=True)
    assert done.returncode == 1 and "letter.txt" in done.stderr and (kept / "letter.txt").read_text() == "dear", done.stderr


def test_the_forge_packs_as_this_script_does():
    workflow = yaml.safe_load((files.ROOT / ".github/workflows/release.yml").read_text())
    steps = [step.get("run", "") for job in workflow["jobs"].values() for step in job["steps"]]
    options = set(re.findall(r"deploy/release((?: --?[a-z]+(?: [^-\s]\S*)?)*)", " ".join(steps)))
    known = run(files.DEPLOY / "release", "--help")
    assert len(options) == 2 and all(option in known for one in options for option in re.findall(r"--[a-z]+", one))
    toolchain = re.search(r'rust-version = "([\d.]+)"', (files.ROOT / "Cargo.toml").read_text()).group(1)
    assert sum(f"rustup toolchain install {toolchain}" in step for step in steps) == len(workflow["jobs"])
