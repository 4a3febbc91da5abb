import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { deputy } from '@deputize/sdk'
import { openBrowser } from '@deputize/testing/browser.ts'
import { eventually } from '@deputize/testing/eventually.ts'
import { freePort } from '@deputize/testing/free-port.ts'
import { startProgram } from '@deputize/testing/program.ts'
import { temporaryDirectory } from '@deputize/testing/scope.ts'

const scope = { after }
const TOKEN = {
  developer_email: 'dev@example.com',
  agent_id: 'calendar-bot',
  resources: ['calendar:events'],
  actions: ['read'],
}

describe('events in a real browser', async () => {
  const browser = await openBrowser(scope)

  test('EventSource gets every event once, even if the service restarts or the page is reloaded', async (t) => {
    const directory = temporaryDirectory(t)
    const env = { PORT: String(await freePort()) }
    let program = await startProgram(directory, env)
    t.after(() => program.kill())
    const client = deputy({ url: program.url })
    const page = await browser.newPage()
    const follow = (after: number) =>
      page.evaluate((from) => {
        const seen: number[] = []
        Object.assign(globalThis, { seen, said: '' })
        const source = new EventSource(`/v1/vat/events?after=${from}`)
        source.onmessage = ({ data, lastEventId }) => {
          const { log_index } = JSON.parse(data)
          if (String(log_index) === lastEventId) seen.push(log_index)
        }
        source.addEventListener('closing', (event) =>
          Object.assign(globalThis, { said: Reflect.get(event, 'data') }),
        )
      }, after)
    const seen = () => page.evaluate(() => Reflect.get(globalThis, 'seen') as number[])
    const until = (indexes: readonly number[]) =>
      eventually(`events ${indexes}`, async () => (await seen()).join() === indexes.join(), 60_000)

    await page.goto(`${program.url}/healthz`)
    await client.issueL1(TOKEN)
    await follow(-1)
    await until([0])
    await client.issueL1(TOKEN)
    await until([0, 1])
    await program.stop()
    assert.match(
      await page.evaluate(() => String(Reflect.get(globalThis, 'said'))),
      /"reason":"shutting_down","cursor":1/,
    )
    program = await startProgram(directory, env)
    await client.issueL1(TOKEN)
    await until([0, 1, 2])
    await page.reload()
    await follow(1)
    await until([2])
    await page.close()
  })
})
