-- Sums of batches that are not in their tables yet, in the order of their commits.
CREATE TABLE deferred_sums (batch BIGINT PRIMARY KEY, sums TEXT NOT NULL);
