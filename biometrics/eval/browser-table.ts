/**
 * The attack table in a real browser: `npx node biometrics/eval/browser-table.ts [runs] [avatar]`. Chromium shows the
 * widget to a puppet, and a service of its own judges with the real engine. A run is a control and every kind of attack on
 * one enrolled person. It takes about ten minutes, most of them recording.
 */

import { PUPPET_CAMERA_FLAGS } from '@deputize/testing/a-puppet-camera.ts'
import { aTestApp } from '@deputize/testing/a-test-app.ts'
import { openBrowser } from '@deputize/testing/browser.ts'
import type { Puppet } from '@deputize/testing/puppet/a-puppet.ts'
import { aRememberingPuppet } from '@deputize/testing/puppet/a-remembering-puppet.ts'
import { theRealEngine } from '@deputize/testing/puppet/puppet-engine.ts'
import {
  type ServiceOutcome,
  serviceCaptures,
  serviceLine,
} from '@deputize/testing/puppet/service-captures.ts'
import { SPECIES } from '@deputize/testing/puppet/species.ts'
import { throughWidget } from '@deputize/testing/through-widget.ts'
import { ANOTHER, CONTROL, outcomeTable } from './outcome-table.ts'

const [runs = 1, avatar = 5] = process.argv.slice(2).map(Number)
const table = outcomeTable()
const endings: (() => unknown)[] = []
const scope = { after: (end: () => unknown) => void endings.unshift(end) }

const app = await aTestApp(scope, { engine: await theRealEngine(scope) })
const url = await app.listen()
const browser = await openBrowser(scope, PUPPET_CAMERA_FLAGS)
const puppet = await aNewPuppet(avatar)
const { capture } = await throughWidget(browser, { url, app, puppet })
const { enroll, verify, attack } = serviceCaptures(app, capture)

async function aNewPuppet(avatar: number): Promise<Puppet> {
  return aRememberingPuppet({ avatar, voice: 'robert', fps: 8 })
}

function note(kind: string, run: number, outcome: ServiceOutcome): void {
  table.note(kind, `run ${run}`, outcome, serviceLine(outcome))
}

try {
  const human_ref = await enroll({ puppet })
  for (let run = 1; run <= runs; run++) {
    note(CONTROL, run, await verify(human_ref, { puppet }))
    note(ANOTHER, run, await verify(human_ref, { puppet: await aNewPuppet(avatar + run) }))
    for (const species of SPECIES) note(species.name, run, await attack(human_ref, puppet, species))
    table.print()
  }
} finally {
  for (const end of endings) await end()
}
