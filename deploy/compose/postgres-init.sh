#!/bin/sh
# Run once by the image of Postgres when its volume is empty. To add a role or change a password later, run it by hand:
# docker compose exec db sh /docker-entrypoint-initdb.d/10-kimberly.sh
set -eu
# Passwords are passed in the environment: other accounts can see arguments, but not the environment.
OWNER_PASSWORD=$(cat /run/secrets/postgres-owner)
APP_PASSWORD=$(cat /run/secrets/postgres-app)
BACKUP_PASSWORD=$(cat /run/secrets/postgres-backup)
MONITOR_PASSWORD=$(cat /run/secrets/postgres-monitor)
export OWNER_PASSWORD APP_PASSWORD BACKUP_PASSWORD MONITOR_PASSWORD
psql --username "${POSTGRES_USER:-postgres}" --dbname postgres --no-psqlrc --quiet --file /etc/kimberly/roles.sql
