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
  SPECIES,
} from '@deputize/testing/puppet/attack-table.ts'
import { openAnalyser } from '../src/analyse-step.ts'

const [count = 10, first = 0] = process.argv.slice(2).map(Number)
const analyser = await openAnalyser(await anEngine())
const identities: EnrolledPuppet[] = []
const ANOTHER = 'another person'
const outcomes = new Map<string, CaptureOutcome[]>()

function note(species: string, who: string, outcome: CaptureOutcome): void {
  outcomes.set(species, [...(outcomes.get(species) ?? []), outcome])
  process.stdout.write(`${species}: ${who}: ${inOneLine(outcome)}\n`)
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

function tally(names: readonly string[]): string {
  const counts = new Map<string, number>()
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  return [...counts].map(([name, times]) => `${name} ${times}`).join(', ')
}

function rate(species: string, results: readonly CaptureOutcome[]): string {
  const passed = results.filter(({ judgement }) => judgement.decision === 'pass').length
  const isControl = species === 'control'
  const name = isControl ? 'BPCER' : species === ANOTHER ? 'FMR' : 'APCER'
  const share = (isControl ? results.length - passed : passed) / results.length
  const decisions = tally(results.map(({ judgement }) => judgement.decision))
  const causes = tally(results.flatMap((outcome) => outcome.causes))
  return `${species} | ${name} ${(100 * share).toFixed(0)} % | n = ${results.length} | ${decisions} | ${causes}\n`
}

for (let avatar = first; avatar < first + count; avatar++) {
  const identity = await enrolled(analyser, avatar, 1)
  note('control', `${avatar}`, captureOutcome(identity.control, identity.template))
  noteOthers(identity)
  identities.push(identity)
  for (const species of SPECIES) note(species.name, `${avatar}`, await attacked(analyser, identity, species))
  for (const [species, results] of outcomes) process.stdout.write(rate(species, results))
}
