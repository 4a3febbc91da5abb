import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { eventually } from '@deputize/testing/eventually.ts'
import { httpClient } from '@deputize/testing/http-client.ts'
import { aProgram, interruptedStart } from '@deputize/testing/program.ts'
import { temporaryDirectory } from '@deputize/testing/scope.ts'
import { auditStore } from './audit-store.ts'
import { oracle } from './oracle.ts'

/** Number of times that the program is killed. For a long run: CRASH_CYCLES=100. */
const CYCLES = Number(process.env.CRASH_CYCLES ?? 4)
const CALLERS = 16
const LIMIT_MS = 60_000 + 20_000 * CYCLES

test(`in ${CYCLES} crashes under load, nothing acknowledged is lost or duplicated, and the log is intact`, {
  timeout: LIMIT_MS,
}, async (t) => {
  const directory = temporaryDirectory(t)
  const witness = oracle()
  let program = await aProgram(t, directory)
  let inFlight = 0
  let leaves = 0
  for (let cycle = 1; cycle <= CYCLES; cycle++) {
    const { url } = program
    const load = Promise.all(Array.from({ length: CALLERS }, () => witness.load(httpClient(t, url, 1))))
    await eventually('writes before the crash', () => witness.acknowledged() > 20 * cycle)
    await sleep(Math.random() * 400) // at any point of the work
    await program.kill()
    await load
    // Some crashes hit a program that is still recovering from the one before.
    if (cycle % 4 === 0) await interruptedStart(directory, 300 + Math.random() * 900)

    program = await aProgram(t, directory)
    const client = httpClient(t, program.url)
    inFlight += await witness.retry(client)
    await witness.assertKept(client)
    witness.assertExactly(directory)
    leaves = await auditStore(directory)
  }

  assert.equal(await program.stop(), 0)
  assert.ok(witness.acknowledged() > 20 * CYCLES, `only ${witness.acknowledged()} writes were acknowledged`)
  assert.ok(inFlight > CYCLES, 'the crashes did not interrupt anything')
  t.diagnostic(
    `${CYCLES} crashes, ${witness.acknowledged()} acknowledged writes, ${inFlight} in flight and repeated, ${leaves} leaves, 0 lost, 0 doubled`,
  )
})
