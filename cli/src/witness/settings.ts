import { resolve } from 'node:path'
import { isKeyName, KEY_TYPES, NoteError, type NoteKey, readVkey } from '@deputize/protocol'
import { StartError } from '../start-problems.ts'

/** The options as typed. */
export interface WitnessOptions {
  readonly name: string
  readonly log?: readonly string[]
  readonly data: string
  readonly port: string
  readonly host: string
}

export interface WitnessSettings {
  readonly name: string
  /** The keys of the watched logs. The name of each key is the origin of its log. */
  readonly logs: readonly NoteKey[]
  readonly data_dir: string
  readonly port: number
  readonly host: string
}

/** Reads the options. Throws a StartError with all problems at once. */
export function readSettings({ name, log = [], data, port, host }: WitnessOptions): WitnessSettings {
  const problems: string[] = []
  if (!isKeyName(name)) problems.push(`--name ${name} must not contain spaces or plus signs.`)
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535)
    problems.push(`--port ${port} must be a whole number from 0 to 65535.`)
  if (log.length === 0) problems.push('--log <vkey> is missing. A witness watches at least one log.')
  const logs = readLogs(log, problems)
  if (problems.length > 0) throw new StartError(problems)
  return { name, logs, data_dir: resolve(data), port: Number(port), host }
}

function readLogs(vkeys: readonly string[], problems: string[]): NoteKey[] {
  const logs: NoteKey[] = []
  for (const vkey of vkeys) {
    const key = readLogKey(vkey)
    if (typeof key === 'string') problems.push(key)
    else if (logs.some(({ name }) => name === key.name))
      problems.push(`--log is given twice for ${key.name}. A log has one key.`)
    else logs.push(key)
  }
  return logs
}

/** The key, or a problem. */
function readLogKey(vkey: string): NoteKey | string {
  try {
    const key = readVkey(vkey)
    return key.type === KEY_TYPES.log ? key : `--log ${vkey} is the key of a witness, not of a log.`
  } catch (error) {
    if (error instanceof NoteError) return `--log ${vkey}: ${error.message}`
    throw error
  }
}
