import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { anEngine } from '@deputize/testing/an-engine.ts'
import {
  attacked,
  captureOutcome,
  type EnrolledPuppet,
  enrolled,
  inOneLine,
  SPECIES,
} from '@deputize/testing/puppet/attack-table.ts'
import { type Analyser, openAnalyser } from '../../src/analyse-step.ts'

/**
 * One capture of each kind, judged by the real nets. Only the steps of an attack that differ from the control are filmed
 * and analysed; the evidence of the others is the control's. `biometrics/eval/attack-table.ts` measures rates.
 */
const UNHEARD: Pick<(typeof SPECIES)[number], 'expected' | 'causes'> = { expected: ['pass'], causes: [] }

/** A pack that was installed without Python has no nets for voices: then nobody notices another one. */
function isUnheard({ causes }: (typeof SPECIES)[number], { template }: EnrolledPuppet): boolean {
  return causes.includes('voice_differs') && Object.keys(template.voice).length === 0
}

describe('the attack table', { timeout: 600_000 }, () => {
  let analyser: Analyser
  let person: EnrolledPuppet

  before(async () => {
    analyser = await openAnalyser(await anEngine())
    person = await enrolled(analyser, 10, 1)
  })

  test('an honest capture passes, and nothing is held against it', () => {
    const outcome = captureOutcome(person.control, person.template)
    assert.equal(outcome.judgement.decision, 'pass', inOneLine(outcome))
    assert.deepEqual(outcome.causes, [])
  })

  for (const species of SPECIES)
    test(`${species.name}: stopped by ${species.causes.join(' and ')}`, async () => {
      const outcome = await attacked(analyser, person, species)
      const { expected, causes } = isUnheard(species, person) ? UNHEARD : species
      assert.ok(expected.includes(outcome.judgement.decision), inOneLine(outcome))
      for (const cause of causes) assert.ok(outcome.causes.includes(cause), inOneLine(outcome))
    })
})
