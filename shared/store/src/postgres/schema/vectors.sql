-- Vectors. They are derived data, so they are created outside of the numbered versions, once the database has pgvector.

-- The models of each user. Writers of a user's vectors lock this row.
CREATE TABLE vector_users (
    user_id text COLLATE "C" PRIMARY KEY,
    -- The model in use, and the one being built to replace it. NULL if there is none.
    active text COLLATE "C",
    building text COLLATE "C"
) WITH (fillfactor = 50);

-- One row per user and model. graph: the HNSW index that finds candidates, if there are enough vectors for one.
CREATE TABLE vector_indices (
    user_id text COLLATE "C" NOT NULL,
    no bigint NOT NULL,
    model text COLLATE "C" NOT NULL,
    dimension bigint NOT NULL,
    items bigint NOT NULL DEFAULT 0,
    vectors bigint NOT NULL DEFAULT 0,
    in_sync_at bigint,
    graph bigint,
    PRIMARY KEY (user_id, no),
    UNIQUE (user_id, model)
) WITH (fillfactor = 50);

-- subject: 0 and the eight bytes of a memory's number, or 1 and the sixteen bytes of a goal's id, so that rows are ordered by
-- subject. direction: components from -127 to 127, which a half represents exactly. graph: the graph of the index, NULL for goals,
-- which nearest-neighbour searches exclude. Rows are not TOASTed, because a scan of all vectors would fetch each one separately.
CREATE TABLE vectors (
    user_id text COLLATE "C" NOT NULL,
    no bigint NOT NULL,
    subject bytea NOT NULL,
    chunk bigint NOT NULL,
    revision bigint NOT NULL,
    fingerprint bigint NOT NULL,
    graph bigint,
    inverse_length real NOT NULL,
    direction halfvec NOT NULL,
    PRIMARY KEY (user_id, no, subject, chunk)
) WITH (toast_tuple_target = 8160);

-- Belongs to no user: partial indices named `vectors_graph_<graph>`, which only the owner of the table can create.
CREATE TABLE vector_graphs (
    graph bigint PRIMARY KEY,
    dimension bigint NOT NULL,
    ready boolean NOT NULL DEFAULT false
);

DO $$
DECLARE one text;
BEGIN
    FOREACH one IN ARRAY ARRAY['vector_users', 'vector_indices', 'vectors']
    LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', one);
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', one);
        EXECUTE format('CREATE POLICY of_user ON %I USING (user_id = current_setting(''kimberly.user_id'', true))', one);
    END LOOP;
END $$;

-- The owner finds graphs that no index uses any more.
CREATE POLICY of_owner ON vector_indices FOR SELECT TO CURRENT_USER USING (true);
