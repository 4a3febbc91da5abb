import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import type { Command, ExtendCommand, RevokeAllCommand } from '../../src/clerk/command.ts'
import { isRevoked } from '../../src/domain/decision.ts'
import { erase, issue, type OpenStore, outcomeOf, run } from './store-contract.ts'

const SOMEONE = 'sha256:someone'

/** The promises of every store about the tokens that a revocation ends. */
export function revocationContract(name: string, open: (context: TestContext) => Promise<OpenStore>): void {
  describe(`${name} store, revocations`, () => {
    test('counts the tokens of an agent or a person that were live, not those below revoked ones', async (context) => {
      const store = await open(context)
      const { live, revoke } = await someChains(store)
      assert.deepEqual(await live(), ['a', 'b', 'left', 'low-1', 'low-2', 'low-3', 'low-4', 'mid', 'own'])
      assert.equal(await revoke({ kind: 'revoke', vat_jti: 'vat_left', reason: undefined }), 3)
      assert.deepEqual(await live(), ['a', 'b', 'low-3', 'low-4', 'mid', 'own'])
      assert.equal(await revoke(allOf('mid')), 1)
      assert.deepEqual(await live(), ['a', 'b', 'low-4', 'own'])
      assert.equal(await revoke(allOf('low')), 2)
      assert.deepEqual(await live(), ['a', 'own'])
      const again = await someChains(await store.reopen(), 'again-')
      assert.equal(
        await again.revoke({ kind: 'revoke_all', owner: { human_ref: SOMEONE }, reason: undefined }),
        2 + 8,
      )
      assert.deepEqual(await again.live(), ['b'])
      assert.equal(await again.revoke(allOf('bot')), 0)
      assert.equal(await again.revoke(allOf('low')), 1)
      assert.equal(await again.revoke(erase(SOMEONE)), 0)
    })

    test('does not count tokens that have expired', async (context) => {
      const store = await open(context)
      await run(store, [issue('brief', { lifetime_s: 60 }), issue('long')])
      store.clock.advance(60_000)
      const [reply] = await run(store, [allOf('bot')])
      assert.equal(outcomeOf(reply).revoked_count, 1)
    })
  })
}

/**
 * The root `a` of one person with `left` above `low-1` and `low-2`, `mid` above `low-3`, then `low-4` and `own`, and
 * the root `b` of another person. The names say whose tokens they are; `a` and `own` are of the same agent.
 */
async function someChains(store: OpenStore, prefix = '') {
  const below = (above: string, name: string, agent: string) => {
    const { claims, ...rest } = root(`${prefix}${name}`, agent, SOMEONE)
    const svc_parent_jti = `vat_${prefix}${above}`
    const svc_root_jti = `vat_${prefix}a`
    return {
      ...rest,
      kind: 'delegate',
      above_jti: svc_parent_jti,
      claims: { ...claims, svc_root_jti, svc_delegation_depth: 1, svc_parent_jti },
    } satisfies ExtendCommand
  }
  const commands = [
    root(`${prefix}a`, 'bot', SOMEONE),
    root(`${prefix}b`, 'low', 'sha256:other'),
    below('a', 'left', 'left'),
    below('left', 'low-1', 'low'),
    below('left', 'low-2', 'low'),
    below('a', 'mid', 'mid'),
    below('mid', 'low-3', 'low'),
    below('a', 'low-4', 'low'),
    below('a', 'own', 'bot'),
  ]
  for (const command of commands) outcomeOf((await run(store, [command]))[0])
  const jtis = commands.map(({ claims }) => claims.jti).sort()
  return {
    /** The names of the tokens that work, by the same rule that decides each use. */
    async live(): Promise<string[]> {
      const chains = await Promise.all(jtis.map((jti) => store.reader.chain(jti)))
      return jtis
        .filter((_, place) => chains[place]?.some(isRevoked) === false)
        .map((jti) => jti.slice(`vat_${prefix}`.length))
    },
    async revoke(command: Command): Promise<number> {
      const [reply] = await run(store, [command])
      store.clock.advance(1)
      return outcomeOf(reply).revoked_count
    },
  }
}

function allOf(agent_id: string): RevokeAllCommand {
  return {
    kind: 'revoke_all',
    owner: { agent_id },
    reason: undefined,
  }
}

function root(name: string, agent: string, human: string) {
  const { claims, ...rest } = issue(name, { agent, human })
  const jti = `vat_${name}`
  return { ...rest, claims: { ...claims, jti, svc_root_jti: jti } }
}
