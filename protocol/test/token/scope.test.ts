import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { isResourcePattern, TEXT_FORMATS } from '@deputize/protocol'
import fc from 'fast-check'
import { allowsAction, allowsResource, covers, widening } from '../../src/token/scope.ts'

interface Pair {
  id: string
  kind: 'resource' | 'action'
  parent: string[]
  child: string
  allow_wildcard_mode: boolean
  why: string
}

const { pairs } = JSON.parse(
  readFileSync(new URL('../../../vectors/scope/scope-narrowing.json', import.meta.url), 'utf8'),
) as { pairs: Pair[] }

/** A child entry passes if it is well formed and a held entry covers it. */
function passes({ kind, parent, child }: Pair): boolean {
  if (kind === 'action') {
    return TEXT_FORMATS.action.check(child) && allowsAction({ resources: [], actions: parent }, child)
  }
  const isWellFormed = isResourcePattern(child) && parent.every(isResourcePattern)
  return isWellFormed && allowsResource({ resources: parent, actions: [] }, child)
}

describe('the scope vectors', () => {
  for (const pair of pairs) {
    test(`${pair.id}: ${pair.why}`, () => assert.equal(passes(pair), pair.allow_wildcard_mode))
  }
})

const word = fc.stringMatching(/^[a-z.*:A-Z]{1,6}$/)
const resource = fc
  .tuple(fc.constantFrom('a', 'b', 'ab', 'A'), fc.constantFrom('x', 'y', 'xy', '*'))
  .map((p) => p.join(':'))

/** A second opinion, written from the rule in words rather than from the code. */
function oracle(held: string, asked: string): boolean {
  const [heldSpace, heldName] = held.split(':')
  const [askedSpace, askedName] = asked.split(':')
  if (heldSpace !== askedSpace) return false
  return heldName === askedName || (heldName === '*' && askedName !== '*')
}

describe('scope', () => {
  test('covers agrees with the documented rule', () => {
    fc.assert(
      fc.property(resource, resource, (held, asked) => covers(held, asked) === oracle(held, asked)),
      { numRuns: 2000 },
    )
  })

  test('an entry covers only itself unless it ends in :*', () => {
    fc.assert(
      fc.property(word, word, (held, asked) => {
        if (!held.endsWith(':*')) assert.equal(covers(held, asked), held === asked)
      }),
      { numRuns: 2000 },
    )
  })

  test('a child that widens nothing allows only what its parent allows', () => {
    const scope = fc.record({
      resources: fc.array(resource, { maxLength: 4 }),
      actions: fc.array(fc.constantFrom('r', 'w', 'd'), { maxLength: 3 }),
    })
    fc.assert(
      fc.property(scope, scope, resource, (parent, child, asked) => {
        if (widening(parent, child).length > 0 || asked.endsWith(':*')) return
        if (allowsResource(child, asked)) assert.ok(allowsResource(parent, asked))
        for (const action of ['r', 'w', 'd'])
          if (allowsAction(child, action)) assert.ok(allowsAction(parent, action))
      }),
      { numRuns: 3000 },
    )
  })

  test('widening names every entry that the parent lacks', () => {
    const parent = { resources: ['mail:*'], actions: ['read'] }
    const child = { resources: ['mail:inbox', 'files:tax'], actions: ['read', 'send'] }
    assert.deepEqual(widening(parent, child), ['files:tax', 'send'])
  })
})
