-- What is personal is sealed under a data key of the person. Destroying that key erases it.

-- A destroyed key is overwritten with zeros where it stands and its row stays: rows that never move leave no copies.
CREATE TABLE data_keys (
  data_key INTEGER PRIMARY KEY,
  human_key INTEGER NOT NULL,
  wrapped BLOB NOT NULL
) STRICT;

-- The key that seals what is new about a person; none before the first such thing and after an erasure.
ALTER TABLE humans ADD COLUMN data_key INTEGER;
ALTER TABLE humans ADD COLUMN erased_at_ms INTEGER;

-- What was kept in words before is sealed by the program right after this file, and its column dropped.
ALTER TABLE records RENAME COLUMN metadata TO plain_metadata;
ALTER TABLE records ADD COLUMN metadata BLOB;
ALTER TABLE ratings RENAME COLUMN note TO plain_note;
ALTER TABLE ratings ADD COLUMN note BLOB;
ALTER TABLE tokens RENAME COLUMN purpose TO plain_purpose;
ALTER TABLE tokens ADD COLUMN purpose BLOB;
ALTER TABLE token_states RENAME COLUMN revoke_reason TO plain_revoke_reason;
ALTER TABLE token_states ADD COLUMN revoke_reason BLOB;
ALTER TABLE approvals RENAME COLUMN metadata TO plain_metadata;
ALTER TABLE approvals ADD COLUMN metadata BLOB;
ALTER TABLE approvals RENAME COLUMN note TO plain_note;
ALTER TABLE approvals ADD COLUMN note BLOB;
ALTER TABLE replays RENAME COLUMN outcome TO plain_outcome;
ALTER TABLE replays ADD COLUMN outcome BLOB NOT NULL DEFAULT x'';
