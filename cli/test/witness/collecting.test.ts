import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { openCheckpoint, readAddCheckpoint, readNote, vkeyOf } from '@deputize/protocol'
import { aServer } from '@deputize/testing/a-server.ts'
import { aGrowingLog, aRandomWitness, cosign, type GrowingLog } from '@deputize/testing/log/a-growing-log.ts'
import { manualClock } from '@deputize/testing/manual-clock.ts'
import { temporaryDirectory } from '@deputize/testing/scope.ts'
import { openWitnesses, readWitnesses, type Trouble } from '../../../server/src/log/witnesses.ts'
import { aWitnessProgram, type WitnessProgram } from './witness-program.ts'

/** How long the log waits for a witness. An honest one needs less on any machine. */
const SLOW_MS = 8_000

/** A deployment with its log, and with its witnesses in the form of a setting. */
function aDeployment(log: GrowingLog, setting: string, timeout_ms = 60_000) {
  const { witnesses: list, problems } = readWitnesses(setting)
  assert.deepEqual(problems, [])
  const troubles: Trouble[] = []
  const clock = manualClock(Date.now())
  const { cosign } = openWitnesses(list, {
    onTrouble: (trouble) => troubles.push(trouble),
    timeout_ms,
    now_ms: clock,
  })
  return {
    /** Publishes a checkpoint, verifies the whole note as a stranger would, and returns who cosigned. */
    async publish(size: number): Promise<string[]> {
      const checkpoint = await log.checkpoint(size)
      const lines = await cosign(checkpoint, async (from, to) => log.proof(from, to))
      const keys = list.map(({ key }) => key)
      const published = await openCheckpoint(checkpoint.note + lines.join(''), log.key, keys)
      return published.witnesses.map(({ key }) => key.name)
    },
    /** The troubles reported since the last call. */
    troubles: () => troubles.splice(0).map(({ kind, witness }) => `${witness} ${kind}`),
    /** Advances the clock past the pause of a failed witness. */
    pause: () => clock.advance(60_000),
  }
}

function entryOf({ key, url }: WitnessProgram): string {
  return `${vkeyOf(key)} ${url}`
}

describe('a log and its witnesses', { concurrency: true }, () => {
  test('gets the cosignatures of honest witnesses, whatever the others do', async (t) => {
    const log = aGrowingLog()
    const honest = await aWitnessProgram(t, temporaryDirectory(t), [log.key])
    const [dead, slow, liar] = ['dead', 'slow', 'liar'].map((name) => aRandomWitness(`witness.test/${name}`))
    assert.ok(dead !== undefined && slow !== undefined && liar !== undefined)
    const anonymous = await aWitnessProgram(t, temporaryDirectory(t), [log.key])
    await anonymous.kill() // its port no longer answers
    let asked = 0
    const silent = await aServer(t, () => {
      asked += 1
    })
    const lying = await aServer(t, async (incoming, response) => {
      let body = ''
      for await (const chunk of incoming) body += chunk
      const { text } = readNote(readAddCheckpoint(body).note)
      response.end(await cosign(liar, text.replace(/\n\d+\n/, '\n99\n'), Math.floor(Date.now() / 1000)))
    })
    const setting = [
      `${vkeyOf(dead.key)} ${anonymous.url}`,
      `${vkeyOf(slow.key)} ${silent}`,
      `${vkeyOf(liar.key)} ${lying}`,
      entryOf(honest),
    ]
    const deployment = aDeployment(log, setting.join(',\n'), SLOW_MS)
    assert.deepEqual(await deployment.publish(5), ['witness.test/w1'])
    assert.deepEqual(deployment.troubles().sort(), [
      'witness.test/dead unreachable',
      'witness.test/liar bad_cosignature',
      'witness.test/slow unreachable',
    ])
    // Failed witnesses are skipped for a while, so this does not wait for them.
    assert.deepEqual(await deployment.publish(9), ['witness.test/w1'])
    assert.equal(asked, 1)
    assert.deepEqual(deployment.troubles(), [])
  })

  test('is caught if it shows two trees, even by independent deployments', async (t) => {
    const log = aGrowingLog()
    const fork = log.forkAt(3)
    const directory = temporaryDirectory(t)
    const witness = await aWitnessProgram(t, directory, [log.key])
    const first = aDeployment(log, entryOf(witness))
    const second = aDeployment(fork, entryOf(witness))
    assert.deepEqual(await first.publish(5), ['witness.test/w1'])
    // The second starts from size 0, gets 409, repeats from the given size and gets 422.
    assert.deepEqual(await second.publish(5), [])
    assert.deepEqual(second.troubles(), ['witness.test/w1 contradicted'])
    second.pause()
    assert.deepEqual(await second.publish(8), [])
    assert.deepEqual(second.troubles(), ['witness.test/w1 contradicted'])
    second.pause()
    assert.deepEqual(await second.publish(4), [])
    assert.deepEqual(second.troubles(), ['witness.test/w1 ahead'])
    const kinds = readdirSync(join(directory, 'evidence')).map((file) => file.split('-')[0])
    assert.deepEqual(kinds.sort(), ['fork', 'rollback', 'unproven'])
    assert.deepEqual(await first.publish(6), ['witness.test/w1'])
    assert.deepEqual(first.troubles(), [])
  })

  test('is caught if it forgets published entries, also after a restart of the witness', async (t) => {
    const log = aGrowingLog()
    const directory = temporaryDirectory(t)
    const before = await aWitnessProgram(t, directory, [log.key])
    assert.deepEqual(await aDeployment(log, entryOf(before)).publish(7), ['witness.test/w1'])
    await before.kill()
    const witness = await aWitnessProgram(t, directory, [log.key])
    const restored = aDeployment(log, entryOf(witness))
    assert.deepEqual(await restored.publish(5), [])
    assert.deepEqual(restored.troubles(), ['witness.test/w1 ahead'])
    restored.pause()
    assert.deepEqual(await restored.publish(9), ['witness.test/w1'])
    assert.deepEqual(restored.troubles(), [])
  })

  test('continues with a witness that was restarted in between', async (t) => {
    const log = aGrowingLog()
    const directory = temporaryDirectory(t)
    const before = await aWitnessProgram(t, directory, [log.key])
    const { port } = new URL(before.url)
    const deployment = aDeployment(log, entryOf(before))
    assert.deepEqual(await deployment.publish(3), ['witness.test/w1'])
    assert.equal(await before.stop(), 0)
    assert.deepEqual(await deployment.publish(4), [])
    assert.deepEqual(deployment.troubles(), ['witness.test/w1 unreachable'])
    await aWitnessProgram(t, directory, [log.key], { port })
    deployment.pause()
    assert.deepEqual(await deployment.publish(8), ['witness.test/w1'])
    assert.deepEqual(deployment.troubles(), [])
  })
})
