import type { RegisteredKey } from '../port.ts'
import { rowReader } from '../row-reader.ts'
import { type Row, text } from '../values.ts'

/** The same in both dialects. */
export const HOLDERS_OF_KEY = `
  SELECT k.*, a.agent_id FROM agent_keys k JOIN agents a ON a.agent_key = k.agent_key WHERE k.jkt = ?
  ORDER BY k.log_index`
export const SHARING_AGENTS = `
  SELECT DISTINCT o.agent_id FROM agents a JOIN agent_keys mine ON mine.agent_key = a.agent_key
    JOIN agent_keys other ON other.jkt = mine.jkt AND other.agent_key <> mine.agent_key
    JOIN agents o ON o.agent_key = other.agent_key
  WHERE a.agent_id = ? ORDER BY o.agent_id`
export const HAS_DELEGATED = `
  SELECT 1 FROM tokens t JOIN tokens p ON p.token_key = t.parent_key
  WHERE t.agent_key = (SELECT agent_key FROM agents WHERE agent_id = ?)
    AND p.agent_key = (SELECT agent_key FROM agents WHERE agent_id = ?) LIMIT 1`
/** Newest first. */
export const KEYS_OF_AGENT = `
  SELECT k.*, a.agent_id FROM agents a JOIN agent_keys k ON k.agent_key = a.agent_key
  WHERE a.agent_id = ? AND k.removed_index IS NULL ORDER BY k.log_index DESC LIMIT ?`

const readKey = rowReader('agent_keys')

/** Reads a row of `agent_keys` with the name of its agent. */
export function registeredKeyOf(row: Row): RegisteredKey {
  const { jkt, log_index, removed_index } = readKey(row)
  return { agent_id: text(row.agent_id), jkt, log_index, removed_index: removed_index ?? undefined }
}
