-- The roots of full subtrees of the log: level 1 over 256 leaves each, level 2 over 65,536, and so on. They are written
-- with the leaf that completes them, so that any tile and any proof costs a few small reads however long the log is.
CREATE TABLE log_nodes (
  level INTEGER NOT NULL,
  node_index INTEGER NOT NULL,
  hash BLOB NOT NULL,
  PRIMARY KEY (level, node_index)
) STRICT, WITHOUT ROWID;

-- Every checkpoint that was signed. Cosignatures of witnesses may be added to a note later; size and root never change.
CREATE TABLE checkpoints (
  size INTEGER PRIMARY KEY,
  root BLOB NOT NULL,
  signed_at_ms INTEGER NOT NULL,
  note TEXT NOT NULL
) STRICT;

CREATE TRIGGER log_nodes_never_change BEFORE UPDATE ON log_nodes
BEGIN SELECT RAISE(ABORT, 'a node of the log never changes'); END;
CREATE TRIGGER log_nodes_never_go BEFORE DELETE ON log_nodes
BEGIN SELECT RAISE(ABORT, 'a node of the log is kept for ever'); END;
CREATE TRIGGER checkpoints_never_change BEFORE UPDATE ON checkpoints
WHEN NEW.size <> OLD.size OR NEW.root <> OLD.root OR NEW.signed_at_ms <> OLD.signed_at_ms
BEGIN SELECT RAISE(ABORT, 'a checkpoint never changes'); END;
CREATE TRIGGER checkpoints_never_go BEFORE DELETE ON checkpoints
BEGIN SELECT RAISE(ABORT, 'a checkpoint is kept for ever'); END;
