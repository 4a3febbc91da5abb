import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import type { Environment } from '../environment.ts'
import { UsageError } from './exit.ts'
import { readTextFile } from './text-file.ts'

const PROFILE_MEMBERS = ['url', 'api_key_file', 'token_file', 'agent_key_file'] as const

/** The URL of the service and the files with its credentials. A profile itself contains no secret. */
export type Profile = Readonly<Partial<Record<(typeof PROFILE_MEMBERS)[number], string | undefined>>>

/** The named profile, or the user's profile if there is one. File names are relative to the profile. */
export function readProfile(named: string | undefined, env: Environment): Profile {
  const file = named ?? join(env.XDG_CONFIG_HOME || join(homedir(), '.config'), 'deputy', 'profile.json')
  if (named === undefined && !existsSync(file)) return {}
  const profile = Object.entries(jsonObjectIn(file))
  for (const [member, value] of profile) {
    if (!PROFILE_MEMBERS.some((known) => known === member))
      throw new UsageError(`${file}: unknown member ${member}. Known members: ${PROFILE_MEMBERS.join(', ')}.`)
    if (typeof value !== 'string') throw new UsageError(`${file}: ${member} must be a string.`)
  }
  return Object.fromEntries(
    profile.map(([member, value]) => [
      member,
      member === 'url' ? value : resolve(dirname(file), String(value)),
    ]),
  )
}

function jsonObjectIn(file: string): object {
  const value: unknown = jsonIn(file)
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new UsageError(`${file} must contain a JSON object.`)
  return value
}

function jsonIn(file: string): unknown {
  try {
    return JSON.parse(readTextFile(file))
  } catch (error) {
    if (error instanceof SyntaxError) throw new UsageError(`${file} doesn't contain valid JSON.`)
    throw error
  }
}
