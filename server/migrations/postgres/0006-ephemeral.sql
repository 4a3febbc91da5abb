-- The table of ephemeral data (sessions, sign-ins in progress, challenges, proofs that were used) gets the name that the
-- documentation uses.
--
-- Nodes of the version before may go on running during a rolling upgrade, and they use the old name. A view under that name
-- stands for the same rows: PostgreSQL passes SELECT, INSERT ... ON CONFLICT, UPDATE and DELETE on it to the table, so a
-- session that one version ends is ended for the other, and a proof that one version has seen is refused by the other. It
-- shows ctid because those nodes delete expired rows by it. Both renames and the view are one transaction, so no statement
-- finds neither name. A later migration drops the view, when no supported version uses it.
ALTER TABLE passing RENAME TO ephemeral;
ALTER INDEX passing_pkey RENAME TO ephemeral_pkey;
ALTER INDEX passing_by_owner RENAME TO ephemeral_by_owner;
ALTER INDEX passing_by_end RENAME TO ephemeral_by_expiry;
ALTER SEQUENCE passing_added_seq RENAME TO ephemeral_added_seq;

CREATE VIEW passing AS SELECT kind, key, value, owner, expires_at_ms, added, ctid FROM ephemeral;
