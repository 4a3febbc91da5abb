-- The last frame of the journal that this file holds. A version that knows no journal must not open the file: it would not
-- see what was acknowledged before a crash.
CREATE TABLE journal_position (
  only INTEGER PRIMARY KEY CHECK (only = 1),
  frame INTEGER NOT NULL
) STRICT;

INSERT INTO journal_position (only, frame) VALUES (1, 0);
