"""The roles of deploy/postgres/roles.sql on a real Postgres: one that owns, one that owns nothing."""

import os
import subprocess

import files

ROLES = files.DEPLOY / "postgres/roles.sql"
SCHEMA = files.ROOT / "shared/store/src/postgres/schema/v1.sql"
# Run with the address of a server of its own, which goes when it ends, and the folders of its programs.
STORY = r"""
set -eu
PATH=$KIMBERLY_TEST_POSTGRES_BIN:$PATH
as() { printf '%s' "$KIMBERLY_TEST_POSTGRES" | sed "s|//[^@]*@|//kimberly_$1:$1-word@|; s|/postgres\$|/kimberly|"; }
for time in first second; do
  psql --no-psqlrc --quiet -v owner_password=owner-word -v app_password=app-word -f "$ROLES" "$KIMBERLY_TEST_POSTGRES"
done
psql="psql --no-psqlrc --quiet -v ON_ERROR_STOP=1 --tuples-only --no-align"
# What migrations do, as the owner.
{ echo 'BEGIN; CREATE SCHEMA kimberly; SET search_path = kimberly, public;'; cat "$SCHEMA"; echo 'COMMIT;'; } | $psql "$(as owner)"
# What the processes work as cannot, and sees nothing before the owner grants it.
for forbidden in 'CREATE SCHEMA other' 'CREATE TABLE public.other (a int)' 'SELECT * FROM kimberly.memories'; do
  if $psql -c "$forbidden" "$(as app)" 2>/dev/null; then echo "kimberly_app may: $forbidden"; exit 1; fi
done
$psql -c 'GRANT USAGE ON SCHEMA kimberly TO kimberly_app; GRANT SELECT, INSERT ON kimberly.goals TO kimberly_app' "$(as owner)"
insert="INSERT INTO kimberly.goals VALUES ('ana', gen_random_uuid(), 'active', 0, '{}')"
$psql -c "BEGIN" -c "SET LOCAL kimberly.user_id = 'ana'" -c "$insert" -c COMMIT "$(as app)"
if $psql -c "$insert" "$(as app)" 2>/dev/null; then echo "kimberly_app writes rows of nobody"; exit 1; fi
echo "rows of all: $($psql -c 'SELECT count(*) FROM kimberly.goals' "$(as app)")"
echo "extensions: $($psql -c "SELECT string_agg(extname, ' ' ORDER BY extname) FROM pg_extension WHERE extname <> 'plpgsql'" "$(as app)")"
echo "above: $($psql -c "SELECT count(*) FROM pg_roles WHERE rolname LIKE 'kimberly%' AND (rolsuper OR rolbypassrls OR rolcreaterole OR rolcreatedb)" "$(as app)")"
"""


def test_one_role_owns_and_the_other_sees_one_user_at_a_time():
    # Never on the server that KIMBERLY_TEST_POSTGRES may name: roles would stay there.
    environment = {**os.environ, "ROLES": str(ROLES), "SCHEMA": str(SCHEMA)}
    told = subprocess.run(
        [files.ROOT / "tests/postgres/start", "bash", "-c", STORY], env=environment, capture_output=True, text=True
    )
    assert told.returncode == 0, told.stdout + told.stderr
    expected = ["rows of all: 0", "extensions: btree_gin hstore pg_trgm vector", "above: 0"]
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
