import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { CHECK_KINDS, LEVELS, type Level, POLICY_NAMES } from '@deputize/protocol'
import fc from 'fast-check'
import {
  assertionOf,
  evaluate,
  type Policy,
  type PolicyRule,
  type PolicySubject,
  readPolicies,
  unmetRules,
} from '../../src/domain/tokens/policy.ts'
import { loadPolicies } from '../../src/policies/load-policies.ts'

const POLICIES = loadPolicies()

/** Meets every rule of every shipped policy. */
function aSubject(changes: Partial<PolicySubject> = {}): PolicySubject {
  return {
    scope: { resources: ['records:visits', 'calendar:events'], actions: ['read'] },
    assurance_level: 'L3',
    human_ref: 'sha256:test',
    lifetime_s: 3600,
    is_key_bound: true,
    verified_for_s: 3600,
    min_vouch_score: 0.5,
    ...changes,
  }
}

/** The smallest change that breaks a rule, or undefined if the service guarantees the rule for every token. */
function breach({ check }: PolicyRule): Partial<PolicySubject> | undefined {
  switch (check.kind) {
    case 'no_wildcard':
      return { scope: { resources: ['records:visits', 'calendar:*'], actions: ['read'] } }
    case 'max_lifetime_s':
      return { lifetime_s: check.value + 1 }
    case 'min_level':
      return { assurance_level: levelBelow(check.value) }
    case 'verified_within_s':
      return { verified_for_s: check.value + 1 }
    case 'min_vouch_score':
      return { min_vouch_score: check.value - 0.01 }
    case 'key_bound':
      return { is_key_bound: false }
    case 'named_human':
      return { human_ref: '' }
    case 'logged':
    case 'revocable':
    case 'decided_per_request':
      return undefined
  }
}

function levelBelow(level: Level): Level {
  const levels = Object.keys(LEVELS) as Level[] // the keys of the table are the levels
  const below = levels[levels.indexOf(level) - 1]
  assert.ok(below !== undefined, 'a rule that asks for L1 asks for nothing')
  return below
}

function policyNamed(name: string): Policy {
  const policy = POLICIES.find((known) => known.name === name)
  assert.ok(policy !== undefined)
  return policy
}

function limitOf(name: string, kind: 'max_lifetime_s' | 'min_level'): number | Level | undefined {
  const found = policyNamed(name).rules.find(({ check }) => check.kind === kind)?.check
  return found !== undefined && 'value' in found ? found.value : undefined
}

function kindsOf(name: string): string[] {
  return policyNamed(name).rules.map(({ check }) => check.kind)
}

describe('the shipped policies', () => {
  test('are exactly those that callers can assert by name', () => {
    assert.deepEqual(POLICIES.map(({ name }) => name).sort(), [...POLICY_NAMES].sort())
  })

  test('use every kind of check', () => {
    const used = new Set(POLICIES.flatMap(({ rules }) => rules.map(({ check }) => check.kind)))
    assert.deepEqual([...used].sort(), [...CHECK_KINDS].sort())
  })

  test('state that they are not a certification', () => {
    for (const { note } of POLICIES) assert.match(note, /never a certification/)
  })

  test('state each rule in one sentence', () => {
    for (const { rules } of POLICIES)
      for (const { sentence } of rules) assert.match(sentence, /^[A-Z][^.]*\.$/)
  })

  test('hold HIPAA to the minimum necessary, 8 hours, L2 and a log', () => {
    assert.equal(limitOf('HIPAA', 'max_lifetime_s'), 8 * 3600)
    assert.equal(limitOf('HIPAA', 'min_level'), 'L2')
    for (const kind of ['no_wildcard', 'logged']) assert.ok(kindsOf('HIPAA').includes(kind), kind)
  })

  test('hold NIST_ZTA to 1 hour, a bound key, a decision per request and no wildcard', () => {
    assert.equal(limitOf('NIST_ZTA', 'max_lifetime_s'), 3600)
    for (const kind of ['key_bound', 'decided_per_request', 'no_wildcard'])
      assert.ok(kindsOf('NIST_ZTA').includes(kind), kind)
  })

  for (const name of ['HIPAA', 'NIST_ZTA'])
    test(`hold ${name}_L3 to everything that ${name} requires, to L3 and to a recent verification`, () => {
      const rules = policyNamed(`${name}_L3`).rules
      assert.equal(limitOf(`${name}_L3`, 'min_level'), 'L3')
      assert.ok(kindsOf(`${name}_L3`).includes('verified_within_s'))
      for (const rule of policyNamed(name).rules.filter(({ check }) => check.kind !== 'min_level'))
        assert.deepEqual(
          rules.find(({ id }) => id === rule.id),
          rule,
        )
    })

  test('hold SOC2 to a named human, a log, revocation and 24 hours', () => {
    assert.equal(limitOf('SOC2', 'max_lifetime_s'), 24 * 3600)
    for (const kind of ['named_human', 'logged', 'revocable']) assert.ok(kindsOf('SOC2').includes(kind), kind)
  })
})

test('SOC2_VOUCHED requires everything that SOC2 requires, and a score from vouches', () => {
  const [vouched, plain] = [policyNamed('SOC2_VOUCHED').rules, policyNamed('SOC2').rules]
  assert.deepEqual(vouched.slice(0, -1), plain)
  assert.deepEqual(vouched.at(-1)?.check, { kind: 'min_vouch_score', value: 0.3 })
})

for (const policy of POLICIES) {
  describe(policy.name, () => {
    test('is met by a careful token, rule by rule and in order', () => {
      const findings = evaluate(policy, aSubject())
      assert.deepEqual(
        findings.map(({ id, control, rule, met }) => ({ id, control, rule, met })),
        policy.rules.map(({ id, control, sentence }) => ({ id, control, rule: sentence, met: true })),
      )
    })

    for (const rule of policy.rules) {
      const changes = breach(rule)
      if (changes === undefined) {
        test(`${rule.id} is met by every token`, () => {
          const worst = {
            scope: { resources: ['a:*'], actions: [] },
            assurance_level: 'L1' as const,
            human_ref: '',
            lifetime_s: Number.MAX_SAFE_INTEGER,
            is_key_bound: false,
            verified_for_s: undefined,
            min_vouch_score: 0,
          }
          assert.ok(!unmetRules([policy], worst).some(({ id }) => id === rule.id))
        })
        continue
      }

      test(`only ${rule.id} is unmet by a token that breaks only it`, () => {
        const [unmet, ...more] = unmetRules([policy], aSubject(changes))
        assert.deepEqual(more, [])
        assert.ok(unmet !== undefined)
        const { evidence, ...named } = unmet
        assert.deepEqual(named, {
          framework: policy.name,
          id: rule.id,
          control: rule.control,
          rule: rule.sentence,
        })
        assert.notEqual(evidence, '')
      })
    }

    test('is asserted with its version and every control, each with evidence', () => {
      const subject = aSubject()
      assert.deepEqual(assertionOf(policy, subject), {
        framework: policy.name,
        version: policy.version,
        controls: evaluate(policy, subject).map(({ control, rule, evidence }) => ({
          id: control,
          rule,
          evidence,
        })),
      })
    })
  })
}

describe('a policy', () => {
  const hipaa = policyNamed('HIPAA')

  test('is never asserted for a token that does not meet it', () => {
    assert.throws(() => assertionOf(hipaa, aSubject({ assurance_level: 'L1' })), /person_authentication/)
  })

  test('is met at the exact lifetime limit but not one second beyond', () => {
    assert.deepEqual(unmetRules([hipaa], aSubject({ lifetime_s: 28_800 })), [])
    assert.equal(unmetRules([hipaa], aSubject({ lifetime_s: 28_801 })).length, 1)
  })

  test('that requires a verification is not met without one, whatever the level', () => {
    const unmet = unmetRules([policyNamed('HIPAA_L3')], aSubject({ verified_for_s: undefined }))
    assert.deepEqual(
      unmet.map(({ id, evidence }) => [id, evidence]),
      [['recent_authentication', 'no biometric verification']],
    )
  })

  test('is not met by a lifetime that is not a number', () => {
    assert.equal(unmetRules([hipaa], aSubject({ lifetime_s: Number.NaN })).length, 1)
  })

  test('names the first few wildcards that violate it', () => {
    const resources = Array.from({ length: 256 }, (_, index) => `space${index}:*`)
    const [unmet] = unmetRules([hipaa], aSubject({ scope: { resources, actions: ['read'] } }))
    assert.equal(unmet?.evidence, 'wildcards: space0:*, space1:*, space2:*, space3:*, space4:* and 251 more')
  })

  test('does not call a human verified who only gave an e-mail address', () => {
    const evidence = (assurance_level: Level) =>
      evaluate(hipaa, aSubject({ assurance_level })).find(({ id }) => id === 'user_identification')?.evidence
    assert.equal(evidence('L1'), 'svc_human_ref, as stated (L1)')
    assert.equal(evidence('L2'), 'svc_human_ref, verified (L2)')
  })

  test('reports the unmet rules of several policies together', () => {
    const unmet = unmetRules(POLICIES, aSubject({ lifetime_s: 86_401 }))
    assert.deepEqual(unmet.map(({ framework }) => framework).sort(), [
      'HIPAA',
      'HIPAA_L3',
      'NIST_ZTA',
      'NIST_ZTA_L3',
      'SOC2',
      'SOC2_VOUCHED',
    ])
  })
})

const levels = Object.keys(LEVELS) as Level[] // the keys of the table are the levels
const subjects: fc.Arbitrary<PolicySubject> = fc.record({
  scope: fc.record({
    resources: fc.array(fc.constantFrom('a:x', 'a:y', 'a:*', 'b:*'), { minLength: 1, maxLength: 4 }),
    actions: fc.array(fc.constantFrom('read', 'write'), { maxLength: 2 }),
  }),
  assurance_level: fc.constantFrom(...levels),
  human_ref: fc.constantFrom('', 'sha256:test'),
  lifetime_s: fc.oneof(
    fc.constantFrom(1, 3600, 3601, 28_800, 28_801, 86_400, 86_401),
    fc.integer({ min: 1, max: 2_592_000 }),
  ),
  is_key_bound: fc.boolean(),
  verified_for_s: fc.option(fc.integer({ min: 0, max: 100_000 }), { nil: undefined }),
  min_vouch_score: fc.constantFrom(0, 0.29, 0.3, 1),
})
const loosenings: fc.Arbitrary<(subject: PolicySubject) => PolicySubject> = fc.oneof(
  fc.constantFrom('a:*', 'b:*').map((wildcard) => ({ scope, ...subject }: PolicySubject) => ({
    ...subject,
    scope: { ...scope, resources: [...scope.resources, wildcard] },
  })),
  fc.integer({ min: 1, max: 100_000 }).map((more_s) => (subject: PolicySubject) => ({
    ...subject,
    lifetime_s: subject.lifetime_s + more_s,
  })),
  fc.constant((subject: PolicySubject) => ({
    ...subject,
    assurance_level: levels[levels.indexOf(subject.assurance_level) - 1] ?? 'L1',
  })),
  fc.constant((subject: PolicySubject) => ({ ...subject, is_key_bound: false })),
  fc.constant((subject: PolicySubject) => ({ ...subject, human_ref: '' })),
  fc.constant((subject: PolicySubject) => ({ ...subject, min_vouch_score: 0 })),
  fc.constant((subject: PolicySubject) => ({ ...subject, verified_for_s: undefined })),
)

test('a wildcard, a longer life, a lower level or a lost key never makes an unmet rule met', () => {
  const names = (subject: PolicySubject) =>
    unmetRules(POLICIES, subject).map(({ framework, id }) => `${framework} ${id}`)
  fc.assert(
    fc.property(subjects, fc.array(loosenings, { minLength: 1, maxLength: 4 }), (subject, steps) => {
      const looser = new Set(names(steps.reduce((held, step) => step(held), subject)))
      for (const name of names(subject)) assert.ok(looser.has(name), name)
    }),
    { numRuns: 2000 },
  )
})

describe('reading policies', () => {
  const rule = { id: 'a', control: 'X 1', sentence: 'It holds.', check: { kind: 'logged' } }
  const policy = { name: 'SOC2', version: '1', title: 'T', note: 'N', rules: [rule] }
  const read = (changes: object) => readPolicies([JSON.stringify({ ...policy, ...changes })])
  const readChecked = (check: unknown) => read({ rules: [{ ...rule, check }] })

  test('returns the rules of a valid policy', () => {
    assert.deepEqual(read({}), [policy])
    assert.deepEqual(readChecked({ kind: 'min_level', value: 'L2' })[0]?.rules[0]?.check, {
      kind: 'min_level',
      value: 'L2',
    })
  })

  const refused: readonly (readonly [string, () => unknown, assert.AssertPredicate])[] = [
    ['an unknown member', () => read({ extra: 1 }), /policies\[0\]\.extra is not a known member/],
    ['an unknown member of a rule', () => read({ rules: [{ ...rule, when: 1 }] }), /rules\[0\]\.when is not/],
    ['a missing member', () => read({ note: undefined }), /policies\[0\]\.note is missing/],
    [
      'an unknown name',
      () => read({ name: 'GDPR' }),
      /name must be one of HIPAA, HIPAA_L3, SOC2, SOC2_VOUCHED, NIST_ZTA, NIST_ZTA_L3/,
    ],
    ['a policy without rules', () => read({ rules: [] }), /rules must list at least one rule/],
    ['an empty text', () => read({ title: ' ' }), /title must be a text/],
    ['two rules of one id', () => read({ rules: [rule, rule] }), /rules holds a twice/],
    [
      'an unknown kind of check',
      () => readChecked({ kind: 'is_nice' }),
      /check\.kind must be one of max_life/,
    ],
    ['a check that is no object', () => readChecked('logged'), /check must be an object/],
    ['a value where none belongs', () => readChecked({ kind: 'logged', value: 1 }), /check\.value is not a/],
    ['a limit without a value', () => readChecked({ kind: 'max_lifetime_s' }), /check\.value is missing/],
    [
      'a limit of part of a second',
      () => readChecked({ kind: 'max_lifetime_s', value: 0.5 }),
      /whole number/,
    ],
    [
      'a score that nobody can have',
      () => readChecked({ kind: 'min_vouch_score', value: 1.5 }),
      /check\.value must be a score from 0.01 to 1/,
    ],
    ['a level that is none', () => readChecked({ kind: 'min_level', value: 'L9' }), /one of L1, L2, L3/],
    ['one policy twice', () => readPolicies([policy, policy].map((p) => JSON.stringify(p))), /SOC2 twice/],
    ['a text that is no JSON', () => readPolicies(['{']), { reason: 'syntax' }],
    [
      'a member given twice',
      () => readPolicies(['{"name":"SOC2","name":"HIPAA"}']),
      { reason: 'duplicate_member' },
    ],
  ]
  for (const [what, attempt, message] of refused) {
    test(`refuses ${what}`, () => assert.throws(attempt, message))
  }
})
