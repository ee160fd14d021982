"""The roles of deploy/postgres/roles.sql on a real Postgres: an owner, one that owns nothing, one that reads all; and a backup."""

import os
import subprocess

import files

ROLES = files.DEPLOY / "postgres/roles.sql"
PROGRAMS = os.environ.get("KIMBERLY_BIN_DIR", str(files.ROOT / "target/release"))
# Runs with the address of a private server, which stops when it exits, and the folders of its programs.
STORY = r"""
set -eu
PATH=$KIMBERLY_TEST_POSTGRES_BIN:$PATH
as() { printf '%s' "$KIMBERLY_TEST_POSTGRES" | sed "s|//[^@]*@|//kimberly_$1:$1-word@|; s|/postgres\$|/kimberly|"; }
export OWNER_PASSWORD=owner-word APP_PASSWORD=app-word BACKUP_PASSWORD=backup-word MONITOR_PASSWORD=monitor-word
for time in first second; do
  psql --no-psqlrc --quiet -f "$ROLES" "$KIMBERLY_TEST_POSTGRES"
done
if APP_PASSWORD= psql --no-psqlrc --quiet -f "$ROLES" "$KIMBERLY_TEST_POSTGRES" 2>/dev/null; then echo "a role without a password"; exit 1; fi
psql="psql --no-psqlrc --quiet -v ON_ERROR_STOP=1 --tuples-only --no-align"
# The worker makes the tables as the owner, and works as a role that owns nothing.
mkdir "$FOLDER/data"
KIMBERLY_DATA_DIR=$FOLDER/data KIMBERLY_KEYS__FOLDER=$FOLDER/keys KIMBERLY_WORKER__LISTEN=127.0.0.1:0 \
  KIMBERLY_POSTGRES__URL=$(as app) KIMBERLY_POSTGRES__OWNER_URL=$(as owner) \
  "$PROGRAMS/kimberly" worker > "$FOLDER/worker.log" 2>&1 &
worker=$!
trap 'kill $worker 2>/dev/null || true' EXIT
until grep -q '^kimberly-worker ready' "$FOLDER/worker.log"; do
  kill -0 $worker 2>/dev/null || { cat "$FOLDER/worker.log"; exit 1; }
  sleep 0.1
done
kill $worker && wait $worker
for forbidden in 'CREATE SCHEMA other' 'CREATE TABLE public.other (a int)' 'DROP TABLE kimberly.memories'; do
  if $psql -c "$forbidden" "$(as app)" 2>/dev/null; then echo "kimberly_app may: $forbidden"; exit 1; fi
done
insert="INSERT INTO kimberly.goals VALUES ('ana', gen_random_uuid(), 'active', 0, '{}')"
$psql -c "BEGIN" -c "SET LOCAL kimberly.user_id = 'ana'" -c "$insert" -c COMMIT "$(as app)"
if $psql -c "$insert" "$(as app)" 2>/dev/null; then echo "kimberly_app writes rows of nobody"; exit 1; fi
# A backup as compose makes it, and what comes back from it.
server=${KIMBERLY_TEST_POSTGRES##*@} server=${server%%/*}
export PGHOST=${server%%:*} PGPORT=${server##*:}
mkdir "$FOLDER/backups" && echo bytes > "$FOLDER/data/attachment"
printf '%s:%s:kimberly:kimberly_backup:backup-word\n' "$PGHOST" "$PGPORT" > "$FOLDER/pgpass" && chmod 600 "$FOLDER/pgpass"
export PGPASSFILE="$FOLDER/pgpass" BACKUP_FOLDER="$FOLDER/backups" BACKUP_DATA="$FOLDER/data" BACKUP_KEEP=1
if "$BACKUP" healthy; then echo "healthy without a backup"; exit 1; fi
mkdir "$FOLDER/backups/kimberly-20200101T000000Z" "$FOLDER/backups/.new-cut"
"$BACKUP" once > /dev/null
"$BACKUP" healthy
set -- "$FOLDER"/backups/*/
echo "backups: $# of $(ls -A "$FOLDER/backups" | wc -l), $(tar -xOf "$1/data.tar" ./attachment)"
monitor=$(as monitor)
if $psql -c "SELECT * FROM kimberly.goals" "$monitor" 2>/dev/null; then echo "kimberly_monitor reads rows"; exit 1; fi
$psql -c "SELECT * FROM pg_ls_waldir(), pg_stat_replication" "${monitor%/*}/postgres" > /dev/null
if $psql -c "DELETE FROM kimberly.goals" "$(as backup)" 2>/dev/null; then echo "kimberly_backup writes"; exit 1; fi
admin=${KIMBERLY_TEST_POSTGRES%/postgres}
$psql -c "DROP DATABASE kimberly WITH (FORCE)" "$KIMBERLY_TEST_POSTGRES"
psql --no-psqlrc --quiet -f "$ROLES" "$KIMBERLY_TEST_POSTGRES"
pg_restore --dbname "$admin/kimberly" --exit-on-error --single-transaction "$1/postgres.dump"
echo "goals that came back: $($psql -c 'SELECT count(*) FROM kimberly.goals' "$admin/kimberly")"
echo "rows of all: $($psql -c 'SELECT count(*) FROM kimberly.goals' "$(as app)")"
echo "extensions: $($psql -c "SELECT string_agg(extname, ' ' ORDER BY extname) FROM pg_extension WHERE extname <> 'plpgsql'" "$(as app)")"
echo "above: $($psql -c "SELECT count(*) FROM pg_roles WHERE rolname LIKE 'kimberly%' AND (rolsuper OR rolbypassrls AND rolname <> 'kimberly_backup' OR rolcreaterole OR rolcreatedb)" "$(as app)")"
"""


def test_one_role_owns_one_sees_one_user_at_a_time_and_one_dumps_all_of_it(tmp_path):
    # Never on the server of KIMBERLY_TEST_POSTGRES, because the roles would remain there.
    environment = {**os.environ, "ROLES": str(ROLES), "PROGRAMS": PROGRAMS, "FOLDER": str(tmp_path)}
    environment["BACKUP"] = str(files.COMPOSE / "backup")
    told = subprocess.run(
        [files.ROOT / "tests/postgres/start", "bash", "-c", STORY], env=environment, capture_output=True, text=True
    )
    assert told.returncode == 0, told.stdout + told.stderr
    # What the app does not see, because it is limited to one user at a time.
    expected = ["backups: 1 of 2, bytes", "goals that came back: 1", "rows of all: 0", "extensions: btree_gin hstore pg_trgm pgcrypto vector", "above: 0"]
    assert told.stdout.strip().splitlines() == expected


def test_compose_makes_these_roles_and_these_extensions():
    services = files.compose()["services"]
    assert "../postgres/roles.sql:/etc/kimberly/roles.sql:ro" in services["db"]["volumes"]
    script = (files.COMPOSE / "postgres-init.sh").read_text()
    assert "/etc/kimberly/roles.sql" in script
    for secret in services["db"]["secrets"]:
        assert f"/run/secrets/{secret}" in script + services["db"]["environment"]["POSTGRES_PASSWORD_FILE"]
    wanted = {line for line in ROLES.read_text().splitlines() if line.startswith("CREATE EXTENSION")}
    operator = (files.KUBERNETES / "postgres.yaml").read_text()
    assert len(wanted) == 4 and all(line.rstrip(";") in operator for line in wanted)
