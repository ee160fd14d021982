-- Two roles, their database and its extensions, for a Postgres 14 or later with its contrib modules and pgvector; as a superuser:
--
--   psql -v owner_password=... -v app_password=... -f roles.sql
--
-- kimberly_owner owns the tables and makes them: migrations connect as it (postgres.owner_url). kimberly_app owns nothing, is held to
-- the rows of one user at a time, and is what the processes work as (postgres.url); the owner grants it what it needs.
-- Nothing is changed that is there, passwords excepted.
\set ON_ERROR_STOP on
SET password_encryption = 'scram-sha-256';

SELECT 'CREATE ROLE kimberly_owner' WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'kimberly_owner') \gexec
SELECT 'CREATE ROLE kimberly_app' WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'kimberly_app') \gexec
ALTER ROLE kimberly_owner LOGIN NOSUPERUSER NOBYPASSRLS NOCREATEDB NOCREATEROLE PASSWORD :'owner_password';
ALTER ROLE kimberly_app LOGIN NOSUPERUSER NOBYPASSRLS NOCREATEDB NOCREATEROLE PASSWORD :'app_password';

SELECT 'CREATE DATABASE kimberly OWNER kimberly_owner ENCODING ''UTF8'' TEMPLATE template0'
    WHERE NOT EXISTS (SELECT FROM pg_database WHERE datname = 'kimberly') \gexec
REVOKE ALL ON DATABASE kimberly FROM PUBLIC;
GRANT CONNECT ON DATABASE kimberly TO kimberly_app;

\connect kimberly
-- Pieces of texts, keys of a user beside words, vectors, and the queue's metadata.
CREATE EXTENSION IF NOT EXISTS pg_trgm SCHEMA public;
CREATE EXTENSION IF NOT EXISTS btree_gin SCHEMA public;
CREATE EXTENSION IF NOT EXISTS vector SCHEMA public;
CREATE EXTENSION IF NOT EXISTS hstore SCHEMA public;
