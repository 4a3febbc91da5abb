import { existsSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { UsageError } from './exit.ts'

const MEMBERS = ['url', 'api_key_file', 'token_file', 'agent_key_file'] as const

/** Where the service is, and the files that hold what to show it. No secret stands in a profile itself. */
export type Profile = Readonly<Partial<Record<(typeof MEMBERS)[number], string | undefined>>>

export type Environment = Readonly<Record<string, string | undefined>>

/** The named profile, else the one of the user, else none. Files are named from where the profile lies. */
export function readProfile(named: string | undefined, env: Environment): Profile {
  const file = named ?? join(env.XDG_CONFIG_HOME || join(homedir(), '.config'), 'deputy', 'profile.json')
  if (named === undefined && !existsSync(file)) return {}
  const profile = Object.entries(objectIn(file))
  for (const [member, value] of profile) {
    if (!MEMBERS.some((known) => known === member))
      throw new UsageError(`${file}: ${member} is no member of a profile. Those are ${MEMBERS.join(', ')}.`)
    if (typeof value !== 'string') throw new UsageError(`${file}: ${member} must be text.`)
  }
  return Object.fromEntries(
    profile.map(([member, value]) => [
      member,
      member === 'url' ? value : resolve(dirname(file), String(value)),
    ]),
  )
}

function objectIn(file: string): object {
  const value: unknown = jsonIn(file)
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new UsageError(`${file} must hold a JSON object.`)
  return value
}

/** What a file holds as JSON. */
function jsonIn(file: string): unknown {
  try {
    return JSON.parse(textIn(file))
  } catch (error) {
    if (error instanceof SyntaxError) throw new UsageError(`${file} does not hold JSON.`)
    throw error
  }
}

export function textIn(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${error instanceof Error ? error.message : error}`)
  }
}
