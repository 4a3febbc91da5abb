import {
  CHECK_KINDS,
  LEVELS,
  type Level,
  POLICY_NAMES,
  type Policy,
  type PolicyAssertion,
  type PolicyCheck,
  type PolicyRule,
  readJson,
  type Scope,
} from '@deputize/protocol'

export type { Policy, PolicyRule }

/** The facts that a policy checks. All are fixed when a token is issued. */
export interface PolicySubject {
  readonly scope: Scope
  readonly assurance_level: Level
  readonly human_ref: string
  readonly lifetime_s: number
  readonly is_key_bound: boolean
  /** Seconds from the biometric verification to the end of the token. Undefined without a verification. */
  readonly verified_for_s: number | undefined
  /** The constraint of the token; 0 without one. */
  readonly min_vouch_score: number
}

/** The result of one rule. `id` names the rule within its policy, `rule` is its sentence. */
export interface RuleResult {
  readonly id: string
  readonly control: string
  readonly rule: string
  readonly met: boolean
  readonly evidence: string
}

export interface UnmetRule extends Omit<RuleResult, 'met'> {
  readonly framework: Policy['name']
}

/** Returns the result of each rule, in the order of the policy. */
export function evaluate(policy: Policy, subject: PolicySubject): RuleResult[] {
  return policy.rules.map(({ id, control, sentence, check }) => ({
    id,
    control,
    rule: sentence,
    ...verdict(check, subject),
  }))
}

/** Returns every rule of every policy that the subject doesn't meet. Empty if it meets them all. */
export function unmetRules(policies: readonly Policy[], subject: PolicySubject): UnmetRule[] {
  return policies.flatMap((policy) =>
    evaluate(policy, subject)
      .filter(({ met }) => !met)
      .map(({ met: _met, ...finding }) => ({ framework: policy.name, ...finding })),
  )
}

/** Returns the assertion to sign into a token that meets the policy: its controls, each with rule and evidence. */
export function assertionOf(policy: Policy, subject: PolicySubject): PolicyAssertion {
  const findings = evaluate(policy, subject)
  const unmet = findings.filter(({ met }) => !met)
  // An assertion that does not hold must never be signed.
  if (unmet.length > 0) throw new Error(`${policy.name} is not met: ${unmet.map(({ id }) => id).join(', ')}`)
  return {
    framework: policy.name,
    version: policy.version,
    controls: findings.map(({ control, rule, evidence }) => ({ id: control, rule, evidence })),
  }
}

/** Returns how many seconds after the verification a token may end at most, according to these policies. */
export function longestAfterVerification(policies: readonly Policy[]): number {
  const checks = policies.flatMap(({ rules }) => rules.map(({ check }) => check))
  return Math.min(
    ...checks.map((check) => (check.kind === 'verified_within_s' ? check.value : Number.POSITIVE_INFINITY)),
  )
}

interface RuleVerdict {
  readonly met: boolean
  readonly evidence: string
}

/** Checks one rule. Evidence is signed into tokens, whose size is limited, so it is short. */
function verdict(check: PolicyCheck, subject: PolicySubject): RuleVerdict {
  switch (check.kind) {
    case 'no_wildcard':
      return withoutWildcard(subject.scope)
    case 'max_lifetime_s':
      return {
        met: subject.lifetime_s <= check.value,
        evidence: `${subject.lifetime_s} s, limit ${check.value} s`,
      }
    case 'min_level':
      return {
        met: LEVELS[subject.assurance_level].base_trust >= LEVELS[check.value].base_trust,
        evidence: `assurance level ${subject.assurance_level}`,
      }
    case 'verified_within_s':
      return verifiedWithin(check.value, subject)
    case 'min_vouch_score':
      return {
        met: subject.min_vouch_score >= check.value,
        evidence: `min_vouch_score ${subject.min_vouch_score}, required ${check.value}`,
      }
    case 'key_bound':
      return { met: subject.is_key_bound, evidence: `cnf.jkt is ${presence(subject.is_key_bound)}` }
    case 'named_human':
      return namedHuman(subject)
    // The service guarantees the following for every token. Policies name them to make that explicit.
    case 'logged':
      return { met: true, evidence: 'one leaf each in the log' }
    case 'revocable':
      return { met: true, evidence: 'revocation takes effect at once' }
    case 'decided_per_request':
      return { met: true, evidence: 'checked against the live chain each time' }
  }
}

/** Checks the age at the end of the token. The age at issuance would say nothing about the last action. */
function verifiedWithin(most_s: number, { verified_for_s }: PolicySubject): RuleVerdict {
  if (verified_for_s === undefined) return { met: false, evidence: 'no biometric verification' }
  return {
    met: verified_for_s <= most_s,
    evidence: `ends ${verified_for_s} s after the verification, limit ${most_s} s`,
  }
}

const SHOWN_WILDCARDS = 5

function withoutWildcard({ resources }: Scope): RuleVerdict {
  const wildcards = resources.filter((resource) => resource.endsWith(':*'))
  const count = `${resources.length} ${resources.length === 1 ? 'resource' : 'resources'}`
  if (wildcards.length === 0) return { met: true, evidence: `${count}, no wildcard` }
  const more = wildcards.length > SHOWN_WILDCARDS ? ` and ${wildcards.length - SHOWN_WILDCARDS} more` : ''
  return { met: false, evidence: `wildcards: ${wildcards.slice(0, SHOWN_WILDCARDS).join(', ')}${more}` }
}

/** Checks that a human is named. At L1 their identity isn't verified, and the evidence must say so. */
function namedHuman({ human_ref, assurance_level }: PolicySubject): RuleVerdict {
  const met = human_ref !== ''
  const how = assurance_level === 'L1' ? 'as stated' : 'verified'
  return { met, evidence: met ? `svc_human_ref, ${how} (${assurance_level})` : 'svc_human_ref is absent' }
}

function presence(isPresent: boolean): string {
  return isPresent ? 'present' : 'absent'
}

/** Reads policies from JSON texts. Unknown members are rejected, because they could not be enforced. */
export function readPolicies(texts: readonly string[]): readonly Policy[] {
  const policies = texts.map((text, index) => readPolicy(readJson(text), `policies[${index}]`))
  assertUnique(
    policies.map(({ name }) => name),
    'policies',
  )
  return policies
}

function readPolicy(value: unknown, at: string): Policy {
  const { name, version, title, note, rules } = membersOf(value, POLICY_MEMBERS, at)
  if (!Array.isArray(rules) || rules.length === 0) throw new Error(`${at}.rules must list at least one rule`)
  const policy = {
    name: oneOf(POLICY_NAMES, name, `${at}.name`),
    version: textOf(version, `${at}.version`),
    title: textOf(title, `${at}.title`),
    note: textOf(note, `${at}.note`),
    rules: rules.map((rule, index) => readRule(rule, `${at}.rules[${index}]`)),
  }
  assertUnique(
    policy.rules.map(({ id }) => id),
    `${at}.rules`,
  )
  return policy
}

const POLICY_MEMBERS = ['name', 'version', 'title', 'note', 'rules'] as const

function readRule(value: unknown, at: string): PolicyRule {
  const { id, control, sentence, check } = membersOf(value, ['id', 'control', 'sentence', 'check'], at)
  return {
    id: textOf(id, `${at}.id`),
    control: textOf(control, `${at}.control`),
    sentence: textOf(sentence, `${at}.sentence`),
    check: readCheck(check, `${at}.check`),
  }
}

function readCheck(check: unknown, at: string): PolicyCheck {
  const kind = oneOf(CHECK_KINDS, objectOf(check, at).kind, `${at}.kind`)
  if (kind === 'max_lifetime_s' || kind === 'verified_within_s') {
    const { value } = membersOf(check, ['kind', 'value'], at)
    return { kind, value: secondsOf(value, `${at}.value`) }
  }
  if (kind === 'min_vouch_score') {
    const { value } = membersOf(check, ['kind', 'value'], at)
    return { kind, value: scoreValue(value, `${at}.value`) }
  }
  if (kind === 'min_level') {
    const { value } = membersOf(check, ['kind', 'value'], at)
    return { kind, value: oneOf(LEVEL_NAMES, value, `${at}.value`) }
  }
  membersOf(check, ['kind'], at)
  return { kind }
}

const LEVEL_NAMES = Object.keys(LEVELS) as Level[] // the keys of the table are the levels

/** Returns the members of an object, which must have exactly these names. */
function membersOf<K extends string>(value: unknown, names: readonly K[], at: string): Record<K, unknown> {
  const object = objectOf(value, at)
  const unknown = Object.keys(object).find((name) => !(names as readonly string[]).includes(name))
  if (unknown !== undefined)
    throw new Error(`${at}.${unknown} is not a known member; known are ${names.join(', ')}`)
  const missing = names.find((name) => !Object.hasOwn(object, name))
  if (missing !== undefined) throw new Error(`${at}.${missing} is missing`)
  return object
}

function objectOf(value: unknown, at: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Error(`${at} must be an object`)
  return value as Record<string, unknown> // safe: an object, members still unknown
}

function textOf(value: unknown, at: string): string {
  if (typeof value !== 'string' || value.trim() === '') throw new Error(`${at} must be a text`)
  return value
}

function secondsOf(value: unknown, at: string): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 1)
    throw new Error(`${at} must be a whole number of seconds`)
  return value
}

function scoreValue(value: unknown, at: string): number {
  if (typeof value !== 'number' || !(value >= 0.01 && value <= 1))
    throw new Error(`${at} must be a score from 0.01 to 1`)
  return value
}

function oneOf<T extends string>(known: readonly T[], value: unknown, at: string): T {
  const found = known.find((entry) => entry === value)
  if (found === undefined) throw new Error(`${at} must be one of ${known.join(', ')}`)
  return found
}

function assertUnique(names: readonly string[], at: string): void {
  const repeated = names.find((name, index) => names.indexOf(name) !== index)
  if (repeated !== undefined) throw new Error(`${at} holds ${repeated} twice`)
}
