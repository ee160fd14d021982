#!/bin/sh
# Run once by the image of Postgres, when its volume is empty; by hand, for a role that came later or another password:
# docker compose exec db sh /docker-entrypoint-initdb.d/10-kimberly.sh
set -eu
# Arguments are shown to every account of the machine, and the environment of a process to its own account alone.
OWNER_PASSWORD=$(cat /run/secrets/postgres-owner)
APP_PASSWORD=$(cat /run/secrets/postgres-app)
BACKUP_PASSWORD=$(cat /run/secrets/postgres-backup)
MONITOR_PASSWORD=$(cat /run/secrets/postgres-monitor)
export OWNER_PASSWORD APP_PASSWORD BACKUP_PASSWORD MONITOR_PASSWORD
psql --username "${POSTGRES_USER:-postgres}" --dbname postgres --no-psqlrc --quiet --file /etc/kimberly/roles.sql
