import { type Scope, TEXT_FORMATS } from '@deputize/protocol'
import { LOCAL_HOSTS } from '../loopback.ts'
import {
  isListOfTexts,
  type JsonMembers,
  jsonMembers,
  listedProviders,
  repeatedEntries,
  type SayProblem,
  sayRepeatedNames,
} from './providers-file.ts'

/** Roles that a sign-in can give, the strongest first. */
export const STAFF_ROLES = ['operator', 'developer', 'auditor'] as const
export type StaffRole = (typeof STAFF_ROLES)[number]

/** A sign-in provider, as the operator configured it. */
export interface Provider {
  readonly name: string
  /** Exactly as in the `iss` claim of its ID tokens. */
  readonly issuer: string
  readonly client_id: string
  readonly client_secret: string | undefined
  /** The tenant whose people sign in with it. */
  readonly tenant_id: string
  readonly scopes: readonly string[]
  /** The claim that lists the groups of the person. */
  readonly groups_claim: string
  /** The most that members of a group may delegate. Undefined when groups limit nothing. */
  readonly groups: ReadonlyMap<string, Scope> | undefined
  /** A person must be in all of these groups. */
  readonly required_groups: readonly string[]
  /** The role in which members of a group may use the dashboard. */
  readonly roles: ReadonlyMap<string, StaffRole>
  readonly prompt: string | undefined
}

export interface ProvidersRead {
  readonly providers: readonly Provider[]
  /** Every mistake with its fix, in sentences without secrets. */
  readonly problems: readonly string[]
}

const PROVIDER_NAME = /^[a-z][a-z0-9-]{0,39}$/
const PROVIDER_MEMBERS = [
  'name',
  'issuer',
  'client_id',
  'client_secret_file',
  'tenant_id',
  'scopes',
  'groups_claim',
  'groups',
  'required_groups',
  'roles',
  'prompt',
] as const
const PROMPTS = ['login', 'consent', 'select_account']
const MAX_SECRET = 1024

const SIGN_IN_FORM = '{"name": ..., "issuer": ..., "client_id": ...}'

/** Parses the file of sign-in providers. `secretOf` reads a client secret file. One mistake means no providers at all. */
export function readProviders(text: string, secretOf: (file: string) => string): ProvidersRead {
  const problems: string[] = []
  const say: SayProblem = (problem) => problems.push(problem)
  const listed = listedProviders(text, SIGN_IN_FORM, say)
  const providers = listed.map((entry, index) => providerOf(entry, `providers[${index}]`, secretOf, say))
  sayRepeatedNames(providers, say)
  for (const { issuer } of repeatedEntries(providers, (one) => JSON.stringify([one.issuer, one.client_id])))
    say(
      `Two providers have the issuer ${issuer} and the same client_id. Remove one, or change its client_id.`,
    )
  return { providers: problems.length === 0 ? providers : [], problems }
}

function providerOf(
  entry: JsonMembers,
  place: string,
  secretOf: (file: string) => string,
  tell: SayProblem,
): Provider {
  const name = stringMember(entry, 'name')
  const say: SayProblem = (problem) => tell(`${name === '' ? place : `Provider ${name}`}: ${problem}`)
  const known: readonly string[] = PROVIDER_MEMBERS
  for (const member of Object.keys(entry))
    if (!known.includes(member))
      say(`Unknown member "${member}". The members are ${PROVIDER_MEMBERS.join(', ')}.`)
  if (!PROVIDER_NAME.test(name))
    say('name must be 1 to 40 lowercase letters, digits and hyphens, starting with a letter.')
  const provider: Provider = {
    name,
    issuer: stringMember(entry, 'issuer'),
    client_id: stringMember(entry, 'client_id'),
    client_secret: clientSecret(entry, secretOf, say),
    tenant_id: stringMember(entry, 'tenant_id', 'default'),
    scopes: stringListMember(entry, 'scopes', ['openid', 'email'], say),
    groups_claim: stringMember(entry, 'groups_claim', 'groups'),
    groups: groupScopes(entry, say),
    required_groups: stringListMember(entry, 'required_groups', [], say),
    roles: groupRoles(entry, say),
    prompt: entry.prompt === undefined ? undefined : stringMember(entry, 'prompt'),
  }
  checkProvider(provider, say)
  return provider
}

function checkProvider(
  { issuer, client_id, tenant_id, scopes, groups_claim, prompt }: Provider,
  say: SayProblem,
): void {
  if (!isIssuer(issuer)) say("issuer must be the provider's https address, without a query or a fragment.")
  if (client_id === '' || client_id.length > 256)
    say('client_id must be the client ID that the provider gave you.')
  if (!PROVIDER_NAME.test(tenant_id))
    say('tenant_id must be the ID of a tenant. Leave it out for the default tenant.')
  if (!scopes.includes('openid')) say('scopes must include openid, or the provider sends no ID token.')
  if (groups_claim === '') say('groups_claim must be the name of a claim. Leave it out for "groups".')
  if (prompt !== undefined && !PROMPTS.includes(prompt)) say(`prompt must be one of ${PROMPTS.join(', ')}.`)
}

/** Plain http is for a provider on this machine, in development. The outbound client decides whether it is called. */
function isIssuer(issuer: string): boolean {
  const url = URL.parse(issuer)
  if (url === null || url.search !== '' || url.hash !== '' || url.username !== '' || /[?#\s|]/.test(issuer))
    return false
  return url.protocol === 'https:' || (url.protocol === 'http:' && LOCAL_HOSTS.includes(url.hostname))
}

function stringMember(entry: JsonMembers, name: (typeof PROVIDER_MEMBERS)[number], otherwise = ''): string {
  const value = entry[name]
  if (value === undefined) return otherwise
  return typeof value === 'string' ? value : ''
}

function stringListMember(
  entry: JsonMembers,
  name: (typeof PROVIDER_MEMBERS)[number],
  otherwise: readonly string[],
  say: SayProblem,
): readonly string[] {
  const value = entry[name]
  if (value === undefined) return otherwise
  if (isListOfTexts(value)) return value
  say(`${name} must be a list of strings.`)
  return otherwise
}

function clientSecret(
  entry: JsonMembers,
  secretOf: (file: string) => string,
  say: SayProblem,
): string | undefined {
  if (entry.client_secret_file === undefined) return undefined
  const file = stringMember(entry, 'client_secret_file')
  try {
    const secret = secretOf(file).trim()
    if (secret !== '' && secret.length <= MAX_SECRET) return secret
    say(`client_secret_file ${file} must contain the secret and nothing else.`)
  } catch {
    say(`Cannot read client_secret_file ${file}. Its path is relative to the providers file.`)
  }
  return undefined
}

function groupRoles({ roles = {} }: JsonMembers, say: SayProblem): ReadonlyMap<string, StaffRole> {
  const given = Object.entries(jsonMembers(roles) ?? {})
  const known = given.flatMap(([group, value]): [string, StaffRole][] =>
    STAFF_ROLES.filter((role) => role === value).map((role) => [group, role]),
  )
  if (jsonMembers(roles) === undefined || known.length < given.length)
    say(`roles must have the form {"<group>": "<role>"}, with one of the roles ${STAFF_ROLES.join(', ')}.`)
  return new Map(known)
}

function groupScopes({ groups }: JsonMembers, say: SayProblem): ReadonlyMap<string, Scope> | undefined {
  if (groups === undefined) return undefined
  const members = jsonMembers(groups)
  if (members === undefined)
    say('groups must have the form {"<group>": {"resources": [...], "actions": [...]}}.')
  return new Map(
    Object.entries(members ?? {}).map(([group, value]) => [group, groupScope(group, value, say)]),
  )
}

function groupScope(group: string, value: unknown, say: SayProblem): Scope {
  const { resources, actions, ...others } = jsonMembers(value) ?? {}
  const isSound =
    isListOfTexts(resources) &&
    isListOfTexts(actions) &&
    Object.keys(others).length === 0 &&
    resources.every((one) => TEXT_FORMATS['resource-pattern'].check(one)) &&
    actions.every((one) => TEXT_FORMATS.action.check(one))
  if (isSound) return { resources: [...resources], actions: [...actions] }
  say(`the group "${group}" must list resources (<namespace>:<name> or <namespace>:*) and actions.`)
  return { resources: [], actions: [] }
}
