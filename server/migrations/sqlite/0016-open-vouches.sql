-- Stores that were migrated before 0012-trust had this index lack it.
CREATE INDEX IF NOT EXISTS vouches_open_for ON vouches (to_ref) WHERE ended_index IS NULL;
