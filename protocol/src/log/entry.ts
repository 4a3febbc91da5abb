/** The format of every log entry: canonical JSON with a version, a type and a time. */
import { canonicalJson } from '../encoding/canonical.ts'
import { isObject } from '../encoding/json.ts'
import { shownAgent } from '../token/agent-name.ts'
import { type FaultCode, LogFault } from './faults.ts'

export interface LogEntryContent {
  readonly v: 1
  readonly type: string
  /** ISO 8601 UTC with milliseconds, so that the order of the text is the order of time. */
  readonly at: string
  readonly [member: string]: unknown
}

/** The agent of an entry by its name within its tenant, as records and exports show it. Entries also name the tenant. */
export function entryAgent({ agent_id }: LogEntryContent): unknown {
  return typeof agent_id === 'string' && agent_id.startsWith('agent:')
    ? shownAgent(agent_id.slice('agent:'.length))
    : agent_id
}

const TYPE = /^[a-z_]+\.[a-z_]+$/
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Parses the entry at `index`. Throws a LogFault if it is invalid. */
export function readEntry(data: Uint8Array | string, index: number): LogEntryContent {
  const text = typeof data === 'string' ? data : decode(data, index)
  const value = parse(text, index)
  if (!isCanonical(text, value)) throw faultAt('entry_not_canonical', index)
  if (!isObject(value)) throw faultAt('entry_shape', index)
  if (value.v !== 1) throw faultAt('entry_version', index)
  if (!isLeaf(value)) throw faultAt('entry_shape', index)
  return value
}

function decode(data: Uint8Array, index: number): string {
  try {
    return decoder.decode(data)
  } catch {
    throw faultAt('entry_not_json', index)
  }
}

function parse(text: string, index: number): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw faultAt('entry_not_json', index)
  }
}

/**
 * Whether `text` is the canonical JSON of `value`, which was parsed from it. JSON.stringify writes strings and numbers as
 * RFC 8785 requires, so only the order of members is checked. JavaScript reorders names that look like numbers, so values
 * with such names are canonicalized in full.
 */
function isCanonical(text: string, value: unknown): boolean {
  try {
    if (JSON.stringify(value) === text && isSorted(value)) return !text.includes('\\ud')
    return canonicalJson(value) === text
  } catch {
    return false
  }
}

function isSorted(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true
  if (Array.isArray(value)) return value.every(isSorted)
  let before = ''
  for (const [name, member] of Object.entries(value)) {
    if (name < before || !isSorted(member)) return false
    before = name
  }
  return true
}

function isLeaf(value: Record<string, unknown>): value is LogEntryContent & Record<string, unknown> {
  const { type, at } = value
  return typeof type === 'string' && typeof at === 'string' && TYPE.test(type) && INSTANT.test(at)
}

function faultAt(fault: FaultCode, index: number): LogFault {
  return new LogFault(fault, `It is entry ${index}.`)
}
