import { describe, test } from 'node:test'
import { someNodes } from '@deputize/testing/some-nodes.ts'
import { aPersonBefore, assertVerified, engineSettings } from './a-person-before.ts'

describe('a person in front of two nodes on one PostgreSQL', { timeout: 600_000 }, () => {
  test('is enrolled and verified by calls that go to the nodes in turn', async (t) => {
    const { nodes } = await someNodes(t, 2, { env: await engineSettings() })
    const person = await aPersonBefore(nodes.map(({ program }) => program.url))
    // The voice is enrolled too; the rest would only take time.
    const human_ref = await person.enroll({ accommodations: ['no_hand', 'no_flash'] })
    await assertVerified(person, human_ref)
  })
})
