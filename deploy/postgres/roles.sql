-- Creates the roles, the database and its extensions, in a Postgres 14 or later with contrib modules and pgvector. Run as a superuser:
--
--   OWNER_PASSWORD=... APP_PASSWORD=... [BACKUP_PASSWORD=...] [MONITOR_PASSWORD=...] psql -f roles.sql
--
-- Passwords come from the environment, because every account of a machine can see arguments. kimberly_owner owns the tables; migrations
-- connect as this role (postgres.owner_url). kimberly_app is the role of the processes (postgres.url): it owns nothing, sees the rows of
-- one user at a time, and gets its rights from the owner. kimberly_backup reads everything and writes nothing, for pg_dump.
-- kimberly_monitor reads statistics of Postgres, but no rows. The last two are created only if they have a password. Existing roles and
-- databases are not changed, except for passwords.
\set ON_ERROR_STOP on
\set owner_password `printf %s "${OWNER_PASSWORD:-}"`
\set app_password `printf %s "${APP_PASSWORD:-}"`
\set backup_password `printf %s "${BACKUP_PASSWORD:-}"`
\set monitor_password `printf %s "${MONITOR_PASSWORD:-}"`
SELECT length(:'owner_password') = 0 OR length(:'app_password') = 0 AS lacking, length(:'backup_password') > 0 AS backed_up,
    length(:'monitor_password') > 0 AS monitored \gset
\if :lacking
    SELECT 'set OWNER_PASSWORD and APP_PASSWORD in the environment'::integer;
\endif
SET password_encryption = 'scram-sha-256';

SELECT 'CREATE ROLE kimberly_owner' WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'kimberly_owner') \gexec
SELECT 'CREATE ROLE kimberly_app' WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'kimberly_app') \gexec
ALTER ROLE kimberly_owner LOGIN NOSUPERUSER NOBYPASSRLS NOCREATEDB NOCREATEROLE PASSWORD :'owner_password';
ALTER ROLE kimberly_app LOGIN NOSUPERUSER NOBYPASSRLS NOCREATEDB NOCREATEROLE PASSWORD :'app_password';

SELECT 'CREATE DATABASE kimberly OWNER kimberly_owner ENCODING ''UTF8'' TEMPLATE template0'
    WHERE NOT EXISTS (SELECT FROM pg_database WHERE datname = 'kimberly') \gexec
REVOKE ALL ON DATABASE kimberly FROM PUBLIC;
GRANT CONNECT ON DATABASE kimberly TO kimberly_app;

\if :backed_up
    SELECT 'CREATE ROLE kimberly_backup' WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'kimberly_backup') \gexec
    -- Row-level security applies even to the owner, so a dump needs a role that bypasses it.
    ALTER ROLE kimberly_backup LOGIN NOSUPERUSER BYPASSRLS NOCREATEDB NOCREATEROLE PASSWORD :'backup_password';
    ALTER ROLE kimberly_backup SET default_transaction_read_only = on;
    GRANT pg_read_all_data TO kimberly_backup;
    GRANT CONNECT ON DATABASE kimberly TO kimberly_backup;
\endif

\if :monitored
    SELECT 'CREATE ROLE kimberly_monitor' WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'kimberly_monitor') \gexec
    ALTER ROLE kimberly_monitor LOGIN NOSUPERUSER NOBYPASSRLS NOCREATEDB NOCREATEROLE PASSWORD :'monitor_password';
    GRANT pg_monitor TO kimberly_monitor;
\endif

\connect kimberly
-- Trigram search, indices that combine user and words, vectors, and the queue's metadata.
CREATE EXTENSION IF NOT EXISTS pg_trgm SCHEMA public;
CREATE EXTENSION IF NOT EXISTS btree_gin SCHEMA public;
CREATE EXTENSION IF NOT EXISTS vector SCHEMA public;
CREATE EXTENSION IF NOT EXISTS hstore SCHEMA public;
