import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { EVENT_TYPES } from '@deputize/protocol'
import { policyMatrix } from '../app/screens/access/policy-matrix.ts'
import { CONDITION_KINDS, conditionDraft, conditionOf } from '../app/screens/access/rule-draft.ts'
import { EVENT_GROUPS, eventsOf, groupOf } from '../app/screens/access/webhook-events.ts'
import { isTypedRight, wordToType } from '../app/screens/people/typed-confirmation.ts'
import { nameOfSubject } from '../app/words/agent-names.ts'
import { askingWords, conditionWords, effectWords, firingWords } from '../app/words/alert-condition.ts'
import { bytesText, tookText } from '../app/words/bytes.ts'
import { addressOfId, personWord, trustPlace } from '../app/words/ids.ts'

const human_ref = `sha256:${'0123456789abcdef'.repeat(4)}`

describe('people', () => {
  test('are named by the ends of their ref, and a whole ref opens their page', () => {
    assert.equal(personWord(human_ref), 'Person 0123…bcdef')
    assert.equal(addressOfId(` ${human_ref} `), `/app/people/${encodeURIComponent(human_ref)}`)
    assert.equal(addressOfId('sha256:short'), undefined)
  })

  test('and agents have a graph, whatever their name contains', () => {
    assert.equal(nameOfSubject('agent:a/b'), 'a/b')
    assert.equal(trustPlace('agent:a/b'), '/app/trust/agent%3Aa%2Fb')
  })

  test('are erased only after the end of their ref is typed', () => {
    assert.equal(wordToType(human_ref), 'bcdef')
    assert.ok(isTypedRight(' BCDEF ', human_ref))
    for (const wrong of ['', 'bcde', 'erase', human_ref]) assert.ok(!isTypedRight(wrong, human_ref), wrong)
  })
})

describe('the matrix of a policy', () => {
  const finding = (id: string, control: string, met: boolean) => ({
    framework: 'SOC2' as const,
    id,
    control,
    rule: `Rule ${id}.`,
    met,
    evidence: `${id} ${met}`,
  })

  test('has a row for each rule and a cell for each token', () => {
    const matrix = policyMatrix(
      ['t1', 't2'],
      [
        { findings: [finding('a', 'CC1', true), finding('a', 'CC2', true)] },
        { findings: [finding('a', 'CC1', false), finding('a', 'CC2', true)] },
      ],
    )
    assert.deepEqual(
      matrix.map(({ id, cells }) => [id, cells.map(({ jti, met }) => `${jti} ${met}`)]),
      [
        ['a CC1', ['t1 true', 't2 false']],
        ['a CC2', ['t1 true', 't2 true']],
      ],
    )
  })

  test('is empty without tokens', () => assert.deepEqual(policyMatrix([], []), []))
})

describe('alert rules', () => {
  test('say in words when they fire', () => {
    const words = (condition: Parameters<typeof conditionWords>[0]) => conditionWords(condition, 'en')
    assert.equal(
      words({ kind: 'denials', more_than: 20, within_minutes: 10 }),
      'more than 20 denials within 10 minutes',
    )
    assert.equal(words({ kind: 'budget', percent: '80' }), '80 % of a budget is used')
    assert.equal(words({ kind: 'chain', deeper_than: 1 }), 'a token deeper than 1 delegation')
    assert.equal(words({ kind: 'new_use', of: 'resource' }), 'the first use of a resource')
    assert.equal(
      words({ kind: 'spend_rate', times: 3, at_least_usd: 5 }),
      'it spends 3 times its highest hour, and at least $5.00',
    )
  })

  test('say how long they make an agent ask', () => {
    assert.equal(effectWords({ effect: 'notify', ask_minutes: 60 }, 'en'), 'notify only')
    assert.equal(
      effectWords({ effect: 'ask', ask_minutes: 30 }, 'en'),
      'require approval for each action, for 30 minutes',
    )
  })

  test('that fired say from when until when an agent must ask', () => {
    const at = (hour: number, day = 18) => new Date(2026, 10, day, hour, 5).toISOString()
    const said = (fired_at: string, asks_until: string | undefined, now: string) =>
      askingWords({ fired_at, ...(asks_until !== undefined && { asks_until }) }, Date.parse(now), 'en-US')
    assert.equal(said(at(9), at(11), at(10)), 'Each action needs an approval since 09:05, until 11:05.')
    assert.equal(said(at(9), at(10), at(10)), 'Each action needed an approval from 09:05 to 10:05.')
    assert.equal(
      said(at(9, 17), at(11), at(10)),
      'Each action needs an approval since Nov 17 09:05, until 11:05.',
    )
    assert.equal(said(at(9), undefined, at(10)), undefined)
  })
})

describe('measures', () => {
  test('of memory and disk use the unit that reads best', () => {
    assert.deepEqual(
      [0, 999, 1500, 141_557_760, 48_318_382_080].map((bytes) => bytesText(bytes, 'en')),
      ['0 byte', '999 byte', '1.5 kB', '142 MB', '48 GB'],
    )
  })

  test('of time have a unit', () => {
    assert.deepEqual([0.05, 1.11, 42.4, 2400].map(tookText), ['0.1 ms', '1.1 ms', '42 ms', '2.4 s'])
  })
})

describe('forms', () => {
  test('a condition has exactly the members of its kind, and a draft of it yields the same condition', () => {
    for (const [kind] of CONDITION_KINDS) {
      const condition = conditionOf({ ...conditionDraft(undefined), kind })
      assert.deepEqual(conditionOf(conditionDraft(condition)), condition)
    }
    const draft = { ...conditionDraft(undefined), more_than: 'many' }
    assert.deepEqual(conditionOf(draft), { kind: 'denials', more_than: 'many', within_minutes: 5 })
  })

  test('a dry run says how often the rule would have fired', () => {
    assert.deepEqual(
      [0, 1, 3].map((count) => firingWords(count, 'en')),
      [
        'It would not have fired in the last 7 days.',
        'It would have fired once in the last 7 days.',
        'It would have fired 3 times in the last 7 days.',
      ],
    )
  })

  test('events of a webhook are one group, or a list of types', () => {
    for (const [group] of EVENT_GROUPS.filter(([one]) => one !== 'some')) {
      const types = eventsOf(group, [])
      assert.equal(groupOf([...types].reverse()), group)
      for (const type of types) assert.ok(type === '*' || EVENT_TYPES.some((known) => known === type), type)
    }
    assert.equal(groupOf(['action.denied']), 'some')
  })
})
