/**
 * A person with a camera and a passkey, for a program in another language. Answers each input line with one line.
 * `{"step": …}` requests the recording of a step; `{"create": …}` and `{"get": …}` request the passkey's answer to
 * WebAuthn options. The first output line has the path of the engine pack.
 */
import { createInterface } from 'node:readline'
import { aDevice } from '../../../testing/a-device.ts'
import { anEngine } from '../../../testing/an-engine.ts'
import { aReadyPuppet } from '../../../testing/puppet/a-ready-puppet.ts'
import { puppetRecording, type ShownStep } from '../../../testing/puppet/puppet-engine.ts'

interface Line {
  readonly step?: ShownStep
  readonly create?: { readonly challenge: string }
  readonly get?: { readonly challenge: string }
}

const [, , origin = ''] = process.argv
const device = aDevice(origin)
const puppet = await aReadyPuppet()

async function answerTo({ step, create, get }: Line): Promise<object> {
  if (create !== undefined) return device.create(create)
  if (get !== undefined) return device.get(get)
  if (step === undefined) throw new Error('a line names a step or the options of a passkey')
  const { step_id: _, ...recording } = await puppetRecording(puppet, step)
  return recording
}

console.log(JSON.stringify({ engine_dir: await anEngine() }))
for await (const text of createInterface({ input: process.stdin }))
  console.log(JSON.stringify(await answerTo(JSON.parse(text))))
