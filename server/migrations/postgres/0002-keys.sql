-- The keys that all nodes of a deployment share, sealed under a master key that the database never sees. `revision`
-- counts how often the document was replaced: of two nodes that replace the same one, one succeeds.
CREATE TABLE sealed_keys (
  single SMALLINT PRIMARY KEY CHECK (single = 1),
  revision BIGINT NOT NULL,
  sealed BYTEA NOT NULL
);

CREATE TRIGGER sealed_keys_never_go_back BEFORE UPDATE ON sealed_keys FOR EACH ROW
WHEN (NEW.revision <= OLD.revision) EXECUTE FUNCTION refuse_change('keys never go back');
CREATE TRIGGER sealed_keys_never_go BEFORE DELETE ON sealed_keys
FOR EACH ROW EXECUTE FUNCTION refuse_change('keys are kept for ever');
