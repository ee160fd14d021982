-- Declared tables that version 1 lacked, with row-level security.
{declared tables}
DO $$
DECLARE one text;
BEGIN
    FOREACH one IN ARRAY ARRAY['vaults'{declared names}]
    LOOP
        CONTINUE WHEN EXISTS (SELECT 1 FROM pg_policies WHERE schemaname = current_schema() AND tablename = one);
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', one);
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', one);
        EXECUTE format('CREATE POLICY of_user ON %I USING (user_id = current_setting(''kimberly.user_id'', true))', one);
    END LOOP;
END $$;
