-- What is entered on purpose: tenants, API keys, passkeys, and who a person is elsewhere. A leaf tells of every change,
-- and `log_index` is where the newest one stands. An entry that was removed keeps its row, without its document.
CREATE TABLE registry (
  kind TEXT NOT NULL,
  id TEXT NOT NULL,
  tenant_id TEXT NOT NULL,
  -- The person whose it is: the document is sealed under their key, or without a person under that of the deployment.
  owner TEXT,
  document BLOB,
  log_index INTEGER NOT NULL,
  PRIMARY KEY (kind, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX registry_kept ON registry (kind, log_index) WHERE document IS NOT NULL;
CREATE INDEX registry_by_tenant ON registry (kind, tenant_id, log_index) WHERE document IS NOT NULL;
CREATE INDEX registry_by_owner ON registry (kind, owner, log_index) WHERE document IS NOT NULL AND owner IS NOT NULL;

CREATE TRIGGER registry_never_goes_back BEFORE UPDATE ON registry WHEN NEW.log_index <= OLD.log_index
BEGIN SELECT RAISE(ABORT, 'the registry never goes back'); END;
CREATE TRIGGER registry_never_goes BEFORE DELETE ON registry
BEGIN SELECT RAISE(ABORT, 'an entry of the registry keeps its row'); END;
