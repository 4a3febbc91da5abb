-- Inner limits: what is held for review, sealed; and when the review desk released a token.
ALTER TABLE tokens ADD COLUMN inner_limits bytea;
ALTER TABLE token_states ADD COLUMN released_at_ms bigint;
