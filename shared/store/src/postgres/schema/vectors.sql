-- Vectors, which are derived: made apart from the numbered versions, once the database has pgvector.

-- Which models of a user answer, and the row by which those who write his vectors wait for each other.
CREATE TABLE vector_users (
    user_id text COLLATE "C" PRIMARY KEY,
    -- The model that answers, and the one that is being built to take its place; NULL if none.
    active text COLLATE "C",
    building text COLLATE "C"
) WITH (fillfactor = 50);

-- One row per user and model. graph: the HNSW index that proposes its memories, if it is large enough to have one.
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

-- subject: 0 and the eight bytes of a memory's number, or 1 and the sixteen of a goal's id, so that bytes are in order of
-- subject. direction: components of -127 to 127, each of which a half holds exactly. graph: that of the index, NULL for goals,
-- which are never among the nearest. Rows stay in one piece: whoever looks at all of a user's would fetch each from elsewhere.
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

-- What is nobody's data: partial indices named `vectors_graph_<graph>`, which only the owner of the table can make.
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

-- The owner looks which graphs are of no index any more.
CREATE POLICY of_owner ON vector_indices FOR SELECT TO CURRENT_USER USING (true);
