-- The earliest schema whose nodes may write: they know everything that later migrations ask of a writer. Every batch reads
-- it with the head. Migrations that earlier nodes must not write after raise it (server/src/store/postgres/migrate.ts).
ALTER TABLE log_head ADD COLUMN oldest_schema BIGINT NOT NULL DEFAULT 12;
