import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { cpuMs } from '@deputize/testing/cpu-time.ts'
import fc from 'fast-check'
import { isTextPattern, textPattern } from '../../src/encoding/text-pattern.ts'

function fits(pattern: string, text: string): boolean {
  const matcher = textPattern(pattern)
  assert.ok(matcher, pattern)
  return matcher(text)
}

/** The same pattern as a regular expression. */
function asRegExp(pattern: string): RegExp {
  const source = pattern.replaceAll(
    /\\(.)|\[(!?)((?:\\.|[^\]\\])*)\](\+?)|(\*)|(\?)|([^\\[\]])/gsu,
    (_whole, escaped, not, set, many, star, one, literal) => {
      if (star !== undefined) return '[^]*'
      if (one !== undefined) return '[^]'
      if (set !== undefined)
        return `[${not === '!' ? '^' : ''}${set.replaceAll(/\\?([\^[\]\\])/g, '\\$1')}]${many}`
      const character: string = escaped ?? literal
      return /[\^$\\.*+?()[\]{}|/]/.test(character) ? `\\${character}` : character
    },
  )
  return new RegExp(`^(?:${source})$`, 'u')
}

describe('a text pattern', () => {
  test('is anchored at both ends', () => {
    assert.ok(fits('*@example.com', 'ann@example.com'))
    assert.ok(!fits('*@example.com', 'ann@example.com.evil.test'))
    assert.ok(!fits('ann', 'anna') && !fits('ann', 'joann'))
  })

  test('has sets, repeated sets, single characters and escapes', () => {
    assert.ok(
      fits('DE[0-9]+', 'DE89370400440532013000') && !fits('DE[0-9]+', 'DE') && !fits('DE[0-9]+', 'DE1x'),
    )
    assert.ok(fits('v?.[!0]', 'v1.2') && !fits('v?.[!0]', 'v1.0'))
    assert.ok(fits('a\\*b', 'a*b') && !fits('a\\*b', 'axb'))
    assert.ok(fits('[a\\]-]+', ']-a') && fits('?', '😀') && fits('[😀-😂]', '😁'))
    assert.ok(fits('(a|b)+', '(a|b)+') && !fits('(a|b)+', 'a'))
  })

  test('is refused if it is malformed or too long', () => {
    for (const bad of ['', '[', '[]', '[!]', 'a]', '[a', '[z-a]', 'a\\', '[[a]', 'x'.repeat(129)])
      assert.ok(!isTextPattern(bad), bad)
    assert.ok(isTextPattern('x'.repeat(128)))
  })

  test('agrees with the equivalent regular expression', () => {
    const piece = fc.constantFrom('*', '?', 'a', 'b', '[ab]', '[!a]', '[a-c]+', '\\*', '.', '(', '$')
    const letters = fc.string({
      unit: fc.constantFrom('a', 'b', 'c', '*', '.', '(', '$', '\n'),
      maxLength: 12,
    })
    fc.assert(
      fc.property(fc.array(piece, { minLength: 1, maxLength: 8 }), letters, (pieces, text) => {
        const pattern = pieces.join('')
        assert.equal(
          fits(pattern, text),
          asRegExp(pattern).test(text),
          `${pattern} on ${JSON.stringify(text)}`,
        )
      }),
      { numRuns: 2000 },
    )
  })

  test('takes time proportional to the lengths, whatever the pattern', async () => {
    const patterns = ['*a'.repeat(64), '[a-z]+'.repeat(21), `${'*'.repeat(127)}b`]
    for (const pattern of patterns)
      assert.ok((await cpuMs(() => fits(pattern, 'a'.repeat(4096)))) < 2_000, pattern)
  })
})
