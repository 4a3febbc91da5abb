/**
 * Measures the attack table with puppets: `npx node biometrics/eval/attack-table.ts [identities] [first avatar]`. Prints a
 * line for every capture, and the rates with counts after every identity. Takes some minutes for each.
 */

import { anEngine } from '@deputize/testing/an-engine.ts'
import {
  attacked,
  type CaptureOutcome,
  captureOutcome,
  type EnrolledPuppet,
  enrolled,
  inOneLine,
} from '@deputize/testing/puppet/attack-table.ts'
import { SPECIES } from '@deputize/testing/puppet/species.ts'
import { openAnalyser } from '../src/analyse-step.ts'
import { ANOTHER, CONTROL, outcomeTable } from './outcome-table.ts'

const [count = 10, first = 0] = process.argv.slice(2).map(Number)
const analyser = await openAnalyser(await anEngine())
const identities: EnrolledPuppet[] = []
const table = outcomeTable()

function note(kind: string, who: string, outcome: CaptureOutcome): void {
  const { causes, judgement } = outcome
  table.note(kind, who, { decision: judgement.decision, causes }, inOneLine(outcome))
}

/** Every control against every other template: somebody else does all that is asked. */
function noteOthers(identity: EnrolledPuppet): void {
  for (const other of identities)
    for (const [who, as] of [
      [identity, other],
      [other, identity],
    ] as const)
      note(ANOTHER, `${who.avatar} as ${as.avatar}`, captureOutcome(who.control, as.template))
}

for (let avatar = first; avatar < first + count; avatar++) {
  const identity = await enrolled(analyser, avatar, 1)
  note(CONTROL, `${avatar}`, captureOutcome(identity.control, identity.template))
  noteOthers(identity)
  identities.push(identity)
  for (const species of SPECIES) note(species.name, `${avatar}`, await attacked(analyser, identity, species))
  table.print()
}
