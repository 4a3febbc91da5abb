import { existsSync, readFileSync } from 'node:fs'
import { KEY_TYPES, type NoteKey, readVkey } from '@deputize/protocol/verifier'
import { stateDirectory } from './state.ts'
import { Unchecked } from './unchecked.ts'

/** The options as they were typed. */
export interface VerifyOptions {
  readonly key?: string
  readonly state?: string
  readonly quick?: boolean
  readonly witness?: string[]
  readonly quorum?: string
  readonly maxAge?: string
  readonly workflow?: string
  readonly against?: string
  readonly apiKeyFile?: string
  readonly json?: boolean
}

/** What is asked: about the log at an address, or about a file, and then perhaps about the log it came from. */
export interface Question {
  readonly address: URL | undefined
  readonly file: string | undefined
  readonly key: NoteKey | undefined
  readonly witnesses: readonly NoteKey[]
  readonly quorum: number | undefined
  readonly max_age_s: number | undefined
  readonly state: string
  readonly quick: boolean
  readonly workflow: string | undefined
  /** For services that show their entries only to those they know. */
  readonly api_key: string | undefined
}

/** Throws Unchecked with a sentence that says what to type instead. */
export function readQuestion(target: string, options: VerifyOptions, env: NodeJS.ProcessEnv): Question {
  const { against, workflow } = options
  const isAddress = /^https?:\/\//i.test(target)
  if (isAddress && against !== undefined)
    throw new Unchecked('--against goes with a file, and names the log that it came from.')
  if (options.quick && (workflow !== undefined || against !== undefined))
    throw new Unchecked('A workflow is looked for in the whole log: leave --quick out.')
  const witnesses = (options.witness ?? []).map((text) => readKey(text, '--witness', KEY_TYPES.witness))
  const max_age_s = readCount(options.maxAge, '--max-age')
  if (max_age_s !== undefined && witnesses.length === 0)
    throw new Unchecked('Only a witness can say how old a checkpoint is: --max-age needs --witness.')
  return {
    address: isAddress ? readAddress(target) : against === undefined ? undefined : readAddress(against),
    file: isAddress ? undefined : readFileName(target),
    key: options.key === undefined ? undefined : readKey(options.key, '--key', KEY_TYPES.log),
    witnesses,
    quorum: readQuorum(options.quorum, witnesses.length),
    max_age_s,
    state: options.state ?? stateDirectory(env),
    quick: options.quick ?? false,
    workflow,
    api_key: readApiKey(options.apiKeyFile),
  }
}

/** From a file, because everybody on a machine sees the options of a command. */
function readApiKey(file: string | undefined): string | undefined {
  if (file === undefined) return undefined
  if (!existsSync(file))
    throw new Unchecked(`There is no file ${file}. --api-key-file names one that holds an API key.`)
  const key = readFileSync(file, 'utf8').trim()
  if (!key.startsWith('dk_')) throw new Unchecked(`${file} holds no API key: one begins with dk_.`)
  return key
}

function readAddress(text: string): URL {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text))
    throw new Unchecked(`${text} is not an address. It begins with http:// or https://.`)
  const url = new URL(text)
  url.search = ''
  url.hash = ''
  return url
}

function readFileName(target: string): string {
  if (existsSync(target)) return target
  if (/^[a-z]+:\/\//i.test(target)) throw new Unchecked(`${target} is not an address of http or https.`)
  if (/^(localhost|[\w-]+(\.[\w-]+)+)(:\d+)?(\/.*)?$|^[\w.-]+:\d+/i.test(target) && !target.endsWith('.json'))
    throw new Unchecked(
      `There is no file ${target}. If it is the address of a service, write https://${target} (or http:// on this machine).`,
    )
  throw new Unchecked(`There is no file ${target}.`)
}

function readKey(text: string, option: string, type: NoteKey['type']): NoteKey {
  const key = attempt(text)
  if (key?.type === type) return key
  const whose = type === KEY_TYPES.log ? 'a log' : 'a witness'
  throw new Unchecked(`${option} is not the key of ${whose}: <name>+<8 hex digits>+<base64>.`)
}

function attempt(text: string): NoteKey | undefined {
  try {
    return readVkey(text)
  } catch {
    return undefined
  }
}

function readQuorum(text: string | undefined, witnesses: number): number | undefined {
  const quorum = readCount(text, '--quorum')
  if (quorum !== undefined && quorum > witnesses)
    throw new Unchecked(
      `--quorum ${quorum} asks for more witnesses than the ${witnesses} given with --witness.`,
    )
  return quorum
}

function readCount(text: string | undefined, option: string): number | undefined {
  if (text === undefined) return undefined
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new Unchecked(`${option} takes a whole number from 1 on.`)
  return Number(text)
}
