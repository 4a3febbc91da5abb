import { JsonError, readJson, type Scope, TEXT_FORMATS } from '@deputize/protocol'

/** A sign-on provider, as the operator configured it. */
export interface Provider {
  readonly name: string
  /** Exactly as the provider calls itself in its ID tokens. */
  readonly issuer: string
  readonly client_id: string
  readonly client_secret: string | undefined
  /** Whose people sign on here. */
  readonly tenant_id: string
  readonly scopes: readonly string[]
  /** The claim that lists the groups of the person. */
  readonly groups_claim: string
  /** What the members of a group may hand on, at most; undefined: groups limit nothing. */
  readonly groups: ReadonlyMap<string, Scope> | undefined
  /** Groups that a person must be in, all of them. */
  readonly required_groups: readonly string[]
  readonly prompt: string | undefined
}

export interface ProvidersRead {
  readonly providers: readonly Provider[]
  /** Sentences that name every mistake and the way out. Never a secret. */
  readonly problems: readonly string[]
}

const NAME = /^[a-z][a-z0-9-]{0,39}$/
const MEMBERS = [
  'name',
  'issuer',
  'client_id',
  'client_secret_file',
  'tenant_id',
  'scopes',
  'groups_claim',
  'groups',
  'required_groups',
  'prompt',
] as const
const PROMPTS = ['login', 'consent', 'select_account']
const MAX_SECRET = 1024

type Members = Readonly<Record<string, unknown>>
type Say = (problem: string) => void

/**
 * Reads the file of sign-on providers. `secretOf` reads the file that holds a client secret. Providers are answered only
 * when nothing is wrong with any of them.
 */
export function readProviders(text: string, secretOf: (file: string) => string): ProvidersRead {
  const problems: string[] = []
  const say: Say = (problem) => problems.push(problem)
  const listed = listIn(text, say)
  const providers = listed.map((entry, index) => providerOf(entry, `providers[${index}]`, secretOf, say))
  for (const { name } of repeated(providers, (one) => one.name)) say(`Two providers are named ${name}.`)
  for (const { issuer } of repeated(providers, (one) => JSON.stringify([one.issuer, one.client_id])))
    say(`Two providers have the issuer ${issuer} and the same client_id; nobody could tell them apart.`)
  return { providers: problems.length === 0 ? providers : [], problems }
}

function listIn(text: string, say: Say): Members[] {
  const document = parsed(text, say)
  if (document === undefined) return []
  const { providers, ...others } = membersOf(document) ?? {}
  for (const name of Object.keys(others)) say(`${name} is not a known member. The only one is providers.`)
  const entries = Array.isArray(providers) ? providers.map(membersOf) : []
  if (!Array.isArray(providers) || entries.includes(undefined))
    say('The file must be {"providers": [{"name": ..., "issuer": ..., "client_id": ...}]}.')
  return entries.filter((entry) => entry !== undefined)
}

function parsed(text: string, say: Say): unknown {
  try {
    return readJson(text)
  } catch (error) {
    if (!(error instanceof JsonError)) throw error
    say(`The file is not acceptable JSON: ${error.message}`)
    return undefined
  }
}

function membersOf(value: unknown): Members | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined
}

function providerOf(entry: Members, place: string, secretOf: (file: string) => string, tell: Say): Provider {
  const name = textIn(entry, 'name')
  const say: Say = (problem) => tell(`${name === '' ? place : `Provider ${name}`}: ${problem}`)
  const known: readonly string[] = MEMBERS
  for (const member of Object.keys(entry))
    if (!known.includes(member)) say(`${member} is not a known member. Those are ${MEMBERS.join(', ')}.`)
  if (!NAME.test(name)) say('name must be 1 to 40 small letters, digits and hyphens, a letter first.')
  const provider: Provider = {
    name,
    issuer: textIn(entry, 'issuer'),
    client_id: textIn(entry, 'client_id'),
    client_secret: secretIn(entry, secretOf, say),
    tenant_id: textIn(entry, 'tenant_id', 'default'),
    scopes: textsIn(entry, 'scopes', ['openid', 'email'], say),
    groups_claim: textIn(entry, 'groups_claim', 'groups'),
    groups: groupsIn(entry, say),
    required_groups: textsIn(entry, 'required_groups', [], say),
    prompt: entry.prompt === undefined ? undefined : textIn(entry, 'prompt'),
  }
  judge(provider, say)
  return provider
}

function judge({ issuer, client_id, tenant_id, scopes, groups_claim, prompt }: Provider, say: Say): void {
  if (!isIssuer(issuer))
    say('issuer must be the https address that the provider names itself by, without a query or a fragment.')
  if (client_id === '' || client_id.length > 256) say('client_id must be the id that the provider gave you.')
  if (!NAME.test(tenant_id)) say('tenant_id must be the id of a tenant, or be left out.')
  if (!scopes.includes('openid')) say('scopes must hold openid, or no ID token would come.')
  if (groups_claim === '') say('groups_claim must be the name of a claim, or be left out.')
  if (prompt !== undefined && !PROMPTS.includes(prompt)) say(`prompt must be one of ${PROMPTS.join(', ')}.`)
}

/** Plain http is for a provider on this machine, in development; the way out decides whether it is used at all. */
function isIssuer(issuer: string): boolean {
  const url = URL.parse(issuer)
  if (url === null || url.search !== '' || url.hash !== '' || url.username !== '' || /[?#\s|]/.test(issuer))
    return false
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopbackName(url.hostname))
}

function isLoopbackName(name: string): boolean {
  return name === 'localhost' || name === '127.0.0.1' || name === '[::1]'
}

function textIn(entry: Members, name: (typeof MEMBERS)[number], otherwise = ''): string {
  const value = entry[name]
  if (value === undefined) return otherwise
  return typeof value === 'string' ? value : ''
}

function textsIn(
  entry: Members,
  name: (typeof MEMBERS)[number],
  otherwise: readonly string[],
  say: Say,
): readonly string[] {
  const value = entry[name]
  if (value === undefined) return otherwise
  if (isTexts(value)) return value
  say(`${name} must be a list of texts.`)
  return otherwise
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string' && one !== '')
}

function secretIn(entry: Members, secretOf: (file: string) => string, say: Say): string | undefined {
  if (entry.client_secret_file === undefined) return undefined
  const file = textIn(entry, 'client_secret_file')
  try {
    const secret = secretOf(file).trim()
    if (secret !== '' && secret.length <= MAX_SECRET) return secret
    say(`client_secret_file ${file} must hold the secret and nothing else.`)
  } catch {
    say(`client_secret_file ${file} cannot be read.`)
  }
  return undefined
}

function groupsIn({ groups }: Members, say: Say): ReadonlyMap<string, Scope> | undefined {
  if (groups === undefined) return undefined
  const members = membersOf(groups)
  if (members === undefined) say('groups must be {"<group>": {"resources": [...], "actions": [...]}}.')
  return new Map(Object.entries(members ?? {}).map(([group, value]) => [group, ceilingOf(group, value, say)]))
}

function ceilingOf(group: string, value: unknown, say: Say): Scope {
  const { resources, actions, ...others } = membersOf(value) ?? {}
  const isSound =
    isTexts(resources) &&
    isTexts(actions) &&
    Object.keys(others).length === 0 &&
    resources.every((one) => TEXT_FORMATS['resource-pattern'].check(one)) &&
    actions.every((one) => TEXT_FORMATS.action.check(one))
  if (isSound) return { resources: [...resources], actions: [...actions] }
  say(`the group ${group} must name resources (<namespace>:<name> or <namespace>:*) and actions.`)
  return { resources: [], actions: [] }
}

/** Those that share a key with one before them. */
function repeated<T>(list: readonly T[], keyOf: (one: T) => string): T[] {
  return [...Map.groupBy(list, keyOf).values()].flatMap((same) => same.slice(1, 2))
}
