-- What is added to apalis's tables, which its own migrations have just made.

-- A NOTIFY takes a lock of the whole server at its commit, and consumers look by themselves.
DROP TRIGGER IF EXISTS notify_workers ON apalis.jobs;
DROP FUNCTION IF EXISTS apalis.notify_new_jobs();

-- Each twice what another one is, and paid for by every job.
DROP INDEX IF EXISTS apalis.lidx;
DROP INDEX IF EXISTS apalis.unique_job_id;

-- The last turn of a user's waiting jobs, and all jobs of a user.
CREATE INDEX kimberly_turns ON apalis.jobs (job_type, (metadata -> 'user'), priority) WHERE status = 'Pending';
CREATE INDEX kimberly_users ON apalis.jobs ((metadata -> 'user'));
-- What runs, and the latest turn of it.
CREATE INDEX kimberly_running ON apalis.jobs (job_type, priority) WHERE status IN ('Queued', 'Running');
-- Counts, and what is over.
CREATE INDEX kimberly_states ON apalis.jobs (job_type, status, done_at);
-- Rows that apalis cannot fetch: none, so that to look for them costs nothing.
CREATE INDEX kimberly_malformed ON apalis.jobs (job_type) WHERE status IN ('Pending', 'Failed')
    AND (id !~* '^[0-7][0-9A-HJKMNP-TV-Z]{25}$' OR attempts < 0 OR array_position(avals(metadata), NULL) IS NOT NULL);

-- Every job changes its row three times; what it leaves behind is in the way of the next fetch.
ALTER TABLE apalis.jobs SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.05);

-- The turn that is on: the latest of those that run or could; if there is none, the first that waits for its time.
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

-- The turn of a user's next job: behind his last that waits, and not before the one that is on.
CREATE FUNCTION apalis.kimberly_next_turn(queue text, who text) RETURNS bigint LANGUAGE sql STABLE AS $$
    SELECT greatest(
        apalis.kimberly_turn(queue),
        1 - (SELECT min(priority) FROM apalis.jobs
             WHERE job_type = queue AND metadata -> 'user' = who AND status = 'Pending')::bigint)
$$;
