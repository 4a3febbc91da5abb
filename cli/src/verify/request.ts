import { existsSync } from 'node:fs'
import { isTenantId } from '@deputize/protocol'
import { KEY_TYPES, type NoteKey, readVkey } from '@deputize/protocol/verifier'
import { checkedApiKey } from '../client/secrets.ts'
import { readTextFile } from '../client/text-file.ts'
import type { Environment } from '../environment.ts'
import { stateDirectory } from './state.ts'
import { Unchecked } from './unchecked.ts'

/** The options as typed. */
export interface VerifyCommandOptions {
  readonly key?: string
  readonly state?: string
  readonly quick?: boolean
  readonly witness?: string[]
  readonly quorum?: string
  readonly maxAge?: string
  readonly workflow?: string
  readonly against?: string
  readonly trust?: boolean
  readonly subject?: string
  readonly tenantKey?: string[]
  readonly apiKeyFile?: string
  readonly json?: boolean
}

/** What to verify: the log at an address, or a file and, if `address` is set, the log it came from. */
export interface VerifyRequest {
  readonly address: URL | undefined
  readonly file: string | undefined
  readonly key: NoteKey | undefined
  readonly witnesses: readonly NoteKey[]
  readonly quorum: number | undefined
  readonly max_age_s: number | undefined
  readonly state: string
  readonly quick: boolean
  readonly workflow: string | undefined
  /** Whose scores are computed from the log and compared with the service; undefined to compare none. */
  readonly scores: ComparedSubjects | undefined
  /** For services that require a credential to read log entries. */
  readonly api_key: string | undefined
}

export interface ComparedSubjects {
  /** One subject; undefined for all of them. */
  readonly subject: string | undefined
  /** API keys of further tenants, by tenant. */
  readonly keys: ReadonlyMap<string, string>
}

/** Throws Unchecked or UsageError if the options are invalid. */
export function readVerifyRequest(
  target: string,
  options: VerifyCommandOptions,
  env: Environment,
): VerifyRequest {
  const { against, workflow } = options
  const isAddress = /^https?:\/\//i.test(target)
  if (isAddress && against !== undefined)
    throw new Unchecked('--against needs a file as the target. It names the log that the file came from.')
  if (options.quick && (workflow !== undefined || against !== undefined))
    throw new Unchecked('--quick cannot be combined with --workflow or --against, which read the whole log.')
  const witnesses = (options.witness ?? []).map((text) =>
    readVkeyOption(text, '--witness', KEY_TYPES.witness),
  )
  const max_age_s = readCount(options.maxAge, '--max-age')
  if (max_age_s !== undefined && witnesses.length === 0)
    throw new Unchecked('--max-age needs --witness: only witnesses sign the time of a checkpoint.')
  return {
    address: isAddress ? readLogAddress(target) : against === undefined ? undefined : readLogAddress(against),
    file: isAddress ? undefined : readFileName(target),
    key: options.key === undefined ? undefined : readVkeyOption(options.key, '--key', KEY_TYPES.log),
    witnesses,
    quorum: readQuorum(options.quorum, witnesses.length),
    max_age_s,
    state: options.state ?? stateDirectory(env),
    quick: options.quick ?? false,
    workflow,
    scores: readComparedSubjects(options, isAddress),
    api_key: options.apiKeyFile === undefined ? undefined : apiKeyIn(options.apiKeyFile),
  }
}

function readComparedSubjects(
  { trust, subject, quick, tenantKey = [] }: VerifyCommandOptions,
  isAddress: boolean,
): ComparedSubjects | undefined {
  if (!trust && subject !== undefined)
    throw new Unchecked('--subject needs --trust. It names the person or agent whose score is compared.')
  if (!trust && tenantKey.length > 0)
    throw new Unchecked('--tenant-key needs --trust. It names a tenant whose scores are compared too.')
  if (!trust) return undefined
  if (!isAddress)
    throw new Unchecked(
      '--trust needs the URL of a service: it compares the scores that the service returns.',
    )
  if (quick) throw new Unchecked('--quick cannot be combined with --trust, which reads the whole log.')
  return { subject, keys: new Map(tenantKey.map(readTenantKey)) }
}

function readTenantKey(text: string): readonly [string, string] {
  const equals = text.indexOf('=')
  const tenant_id = text.slice(0, Math.max(equals, 0))
  if (!isTenantId(tenant_id))
    throw new Unchecked('--tenant-key must be <tenant>=<file>, as in acme=acme.key.')
  return [tenant_id, apiKeyIn(text.slice(equals + 1))]
}

function apiKeyIn(file: string): string {
  return checkedApiKey({ place: file, text: readTextFile(file) })
}

function readLogAddress(text: string): URL {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text))
    throw new Unchecked(`"${text}" isn't a URL. URLs start with http:// or https://.`)
  const url = new URL(text)
  url.search = ''
  url.hash = ''
  return url
}

function readFileName(target: string): string {
  if (existsSync(target)) return target
  if (/^[a-z]+:\/\//i.test(target)) throw new Unchecked(`${target} isn't an http or https URL.`)
  if (/^(localhost|[\w-]+(\.[\w-]+)+)(:\d+)?(\/.*)?$|^[\w.-]+:\d+/i.test(target) && !target.endsWith('.json'))
    throw new Unchecked(
      `${target} doesn't exist. For a service, type the URL: https://${target} (or http:// on this machine).`,
    )
  throw new Unchecked(`${target} doesn't exist.`)
}

function readVkeyOption(text: string, option: string, type: NoteKey['type']): NoteKey {
  const key = vkeyIn(text)
  if (key?.type === type) return key
  const whose = type === KEY_TYPES.log ? 'a log' : 'a witness'
  throw new Unchecked(`${option} must be the key of ${whose}: <name>+<8 hex digits>+<base64>.`)
}

function vkeyIn(text: string): NoteKey | undefined {
  try {
    return readVkey(text)
  } catch {
    return undefined
  }
}

function readQuorum(text: string | undefined, witnesses: number): number | undefined {
  const quorum = readCount(text, '--quorum')
  if (quorum !== undefined && quorum > witnesses)
    throw new Unchecked(`--quorum is ${quorum}, but only ${witnesses} witnesses are given with --witness.`)
  return quorum
}

function readCount(text: string | undefined, option: string): number | undefined {
  if (text === undefined) return undefined
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new Unchecked(`${option} must be a whole number, 1 or more.`)
  return Number(text)
}
