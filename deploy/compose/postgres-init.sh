#!/bin/sh
# Run once by the image of Postgres, when its volume is empty.
set -eu
psql --username "$POSTGRES_USER" --dbname postgres --no-psqlrc --quiet \
  -v owner_password="$(cat /run/secrets/postgres-owner)" -v app_password="$(cat /run/secrets/postgres-app)" \
  --file /etc/kimberly/roles.sql
