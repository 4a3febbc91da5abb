-- Sums of batches that are not in their tables yet, in the order of their commits. They are deleted within seconds, so
-- compressing them does not pay.
CREATE TABLE deferred_sums (batch BIGINT PRIMARY KEY, sums TEXT NOT NULL);
ALTER TABLE deferred_sums ALTER COLUMN sums SET STORAGE EXTERNAL;
