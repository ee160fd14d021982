-- Additions to apalis's tables, run right after its own migrations.

-- NOTIFY takes a server-wide lock at commit, and consumers poll anyway.
DROP TRIGGER IF EXISTS notify_workers ON apalis.jobs;
DROP FUNCTION IF EXISTS apalis.notify_new_jobs();

-- Both duplicate another index, at the cost of every job.
DROP INDEX IF EXISTS apalis.lidx;
DROP INDEX IF EXISTS apalis.unique_job_id;

-- The last turn of a user's waiting jobs, and all jobs of a user.
CREATE INDEX kimberly_turns ON apalis.jobs (job_type, (metadata -> 'user'), priority) WHERE status = 'Pending';
CREATE INDEX kimberly_users ON apalis.jobs ((metadata -> 'user'));
-- Running jobs, and their latest turn.
CREATE INDEX kimberly_running ON apalis.jobs (job_type, priority) WHERE status IN ('Queued', 'Running');
-- Counts, and finished jobs.
CREATE INDEX kimberly_states ON apalis.jobs (job_type, status, done_at);
-- Rows that apalis cannot fetch: normally none, so that looking for them costs nothing.
CREATE INDEX kimberly_malformed ON apalis.jobs (job_type) WHERE status IN ('Pending', 'Failed')
    AND (id !~* '^[0-7][0-9A-HJKMNP-TV-Z]{25}$' OR attempts < 0 OR array_position(avals(metadata), NULL) IS NOT NULL);

-- Every job updates its row three times, and the dead tuples slow down the next fetch.
ALTER TABLE apalis.jobs SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.05);

-- The current turn: the latest turn of running or due jobs; if none, that of the first delayed job.
CREATE FUNCTION apalis.kimberly_turn(queue text) RETURNS bigint LANGUAGE sql STABLE AS $$
    SELECT coalesce(
        greatest(
            (SELECT -priority::bigint FROM apalis.jobs
             WHERE job_type = queue AND (status = 'Pending' OR (status = 'Failed' AND attempts < max_attempts))
                 AND run_at <= now()
             ORDER BY priority DESC, run_at ASC LIMIT 1),
            -(SELECT min(priority) FROM apalis.jobs WHERE job_type = queue AND status IN ('Queued', 'Running'))::bigint),
        (SELECT -priority::bigint FROM apalis.jobs
         WHERE job_type = queue AND (status = 'Pending' OR (status = 'Failed' AND attempts < max_attempts))
         ORDER BY priority DESC LIMIT 1),
        0)
$$;

-- The turn of a user's next job: after their last waiting job, and not before the current turn.
CREATE FUNCTION apalis.kimberly_next_turn(queue text, who text) RETURNS bigint LANGUAGE sql STABLE AS $$
    SELECT greatest(
        apalis.kimberly_turn(queue),
        1 - (SELECT min(priority) FROM apalis.jobs
             WHERE job_type = queue AND metadata -> 'user' = who AND status = 'Pending')::bigint)
$$;
