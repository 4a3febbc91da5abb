import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type IdentityFacts, judgeIdentity } from '../../src/domain/agent-identity.ts'

/** Agents of the tenant acme with their owners. All of them are known. */
function someAgents(
  owners: Readonly<Record<string, readonly string[] | undefined>>,
  changes: Partial<IdentityFacts> = {},
): IdentityFacts {
  return {
    isKnown: (agent_id) => Object.hasOwn(owners, agent_id),
    ownedBy: (agent_id) => owners[agent_id],
    keyHolders: () => [],
    isSuspended: () => false,
    hasDelegated: () => false,
    ...changes,
  }
}

const asks = (actor: string, agent_id: string, jkt?: string) => ({ agent_id, jkt, actors: [actor] })

describe('the name of an agent', () => {
  test('without an owner is given to a developer or a person, and to an agent only if it is new', () => {
    const facts = someAgents({ 'acme:old': undefined })
    for (const actor of ['key:a', 'human:b'])
      assert.deepEqual(judgeIdentity(asks(actor, 'acme:old'), facts), {
        by: actor,
        binds: true,
        registers: false,
      })
    assert.deepEqual(judgeIdentity(asks('agent:p', 'acme:old'), facts), { refused: 'name_taken' })
    assert.ok('by' in judgeIdentity(asks('agent:p', 'acme:new'), facts))
    const before = someAgents({ 'acme:old': undefined }, { hasDelegated: (from) => from === 'acme:p' })
    assert.ok('by' in judgeIdentity(asks('agent:p', 'acme:old'), before))
  })

  test('is owned through the agents that created it, and the search ends if they own each other', () => {
    const facts = someAgents({
      'acme:child': ['agent:parent'],
      'acme:parent': ['agent:root'],
      'acme:root': ['key:a'],
      'acme:one': ['agent:two'],
      'acme:two': ['agent:one'],
    })
    assert.deepEqual(judgeIdentity(asks('key:a', 'acme:child'), facts), {
      by: 'key:a',
      binds: false,
      registers: false,
    })
    assert.ok('by' in judgeIdentity(asks('agent:root', 'acme:child'), facts))
    for (const actor of ['key:b', 'agent:child2', 'human:x'])
      assert.deepEqual(judgeIdentity(asks(actor, 'acme:child'), facts), { refused: 'name_taken' }, actor)
    assert.deepEqual(judgeIdentity(asks('key:a', 'acme:one'), facts), { refused: 'name_taken' })
  })

  test('that is open to everyone is open to developers and people, but not to agents', () => {
    const facts = someAgents({ 'acme:shared': ['*'] })
    for (const actor of ['key:a', 'human:b'])
      assert.ok('by' in judgeIdentity(asks(actor, 'acme:shared'), facts))
    assert.deepEqual(judgeIdentity(asks('agent:p', 'acme:shared'), facts), { refused: 'name_taken' })
  })
})

describe('the key of an agent', () => {
  const owners = { 'acme:bot': ['key:a'], 'acme:other': ['key:b'] }
  const held = (agent_id: string, is_removed = false) =>
    someAgents(owners, { keyHolders: () => [{ agent_id, is_removed }] })

  test('opens its name, unless it was removed', () => {
    assert.deepEqual(judgeIdentity(asks('agent:p', 'acme:bot', 'k'), held('acme:bot')), {
      by: 'agent:p',
      binds: false,
      registers: false,
    })
    assert.deepEqual(judgeIdentity(asks('key:a', 'acme:bot', 'k'), held('acme:bot', true)), {
      refused: 'key_removed',
    })
  })

  test("can't be bound to another name by a caller who does not own its agent", () => {
    const verdict = judgeIdentity(asks('key:a', 'acme:bot', 'k'), held('acme:other'))
    assert.deepEqual(verdict, { refused: 'key_taken', holder: 'acme:other' })
  })

  test('of a suspended agent opens nothing', () => {
    const facts = { ...held('acme:other'), isSuspended: (agent_id: string) => agent_id === 'acme:other' }
    const verdict = judgeIdentity(asks('key:b', 'acme:fresh', 'k'), facts)
    assert.deepEqual(verdict, { refused: 'key_suspended', holder: 'acme:other' })
  })
})
