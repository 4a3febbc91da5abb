import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { anEngine } from '@deputize/testing/an-engine.ts'
import {
  attacked,
  type EnrolledPuppet,
  enrolled,
  judgementOf,
  SPECIES,
  whyNot,
} from '@deputize/testing/puppet/attack-table.ts'
import { type Analyser, openAnalyser } from '../../src/analyse-step.ts'
import type { Step } from '../../src/contract.ts'

/**
 * One capture of each kind, judged by the real nets. `biometrics/eval/attack-table.ts` measures rates. To be quick, a photo
 * or a screen is shown in the first steps only, and the person answers the rest: that is harder to notice.
 */
const isFirst = (step: Step) => step.kind === 'neutral' || step.kind === 'move'
const SHOWN_AT_FIRST = new Set(['printed photo', 'bent photo', 'screen replay of another session'])
const NEUTRAL_ONLY = new Set(['second face', 'too dark'])
const MEASURED_ELSEWHERE = /that reflects the screen$/

function isActedIn(name: string, step: Step): boolean {
  if (SHOWN_AT_FIRST.has(name)) return isFirst(step)
  if (NEUTRAL_ONLY.has(name)) return step.kind === 'neutral'
  return name === 'looped frames' ? step.kind === 'gesture' : true
}

describe('the attack table', { timeout: 600_000 }, () => {
  let analyser: Analyser
  let person: EnrolledPuppet

  before(async () => {
    analyser = await openAnalyser(await anEngine())
    const enrolling = ({ kind }: Step) => kind === 'neutral' || kind === 'speak'
    person = await enrolled(analyser, 10, 1, enrolling)
  })

  test('an honest capture passes', () => {
    const judgement = judgementOf(person.control, person.template)
    assert.equal(judgement.decision, 'pass', whyNot(judgement))
  })

  for (const species of SPECIES.filter(({ name }) => !MEASURED_ELSEWHERE.test(name)))
    test(`${species.name} does not pass`, async () => {
      const how = (step: Step) => (isActedIn(species.name, step) ? species.how(step) : undefined)
      const judgement = await attacked(analyser, person, { ...species, how })
      assert.ok(species.expected.includes(judgement.decision), whyNot(judgement))
    })
})
