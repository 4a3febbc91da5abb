/**
 * Measures the attack table with puppets: `npx node biometrics/eval/attack-table.ts [identities] [first avatar]`. Prints a
 * line for every capture, then rates with counts. Takes some minutes for each identity.
 */

import { anEngine } from '@deputize/testing/an-engine.ts'
import {
  attacked,
  type EnrolledPuppet,
  enrolled,
  judgementOf,
  SPECIES,
  whyNot,
} from '@deputize/testing/puppet/attack-table.ts'
import { openAnalyser } from '../src/analyse-step.ts'

const [count = 10, first = 0] = process.argv.slice(2).map(Number)
const analyser = await openAnalyser(await anEngine())
const identities: EnrolledPuppet[] = []
const stopped = new Map<string, boolean[]>()

function note(species: string, isStopped: boolean, text: string): void {
  stopped.set(species, [...(stopped.get(species) ?? []), isStopped])
  process.stdout.write(`${species}: ${text}\n`)
}

for (let avatar = first; avatar < first + count; avatar++) {
  const identity = await enrolled(analyser, avatar, 1)
  const honest = judgementOf(identity.control, identity.template)
  note('control', honest.decision !== 'pass', `avatar ${avatar}: ${whyNot(honest)}`)
  for (const other of identities) {
    const swapped = judgementOf(identity.control, other.template)
    note(
      'another person',
      swapped.decision !== 'pass',
      `avatar ${avatar} as ${other.avatar}: ${swapped.decision}`,
    )
  }
  identities.push(identity)
  for (const species of SPECIES) {
    const judgement = await attacked(analyser, identity, species)
    note(species.name, judgement.decision !== 'pass', `avatar ${avatar}: ${whyNot(judgement)}`)
  }
}

for (const [species, results] of stopped) {
  const passed = results.filter((isStopped) => !isStopped).length
  const rate = species === 'control' ? 1 - passed / results.length : passed / results.length
  const kind = species === 'control' ? 'BPCER' : 'APCER'
  process.stdout.write(`${species} | ${kind} ${(100 * rate).toFixed(0)} % | n = ${results.length}\n`)
}
