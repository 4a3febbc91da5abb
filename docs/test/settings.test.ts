import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { ConfigError, readConfig } from '../../server/src/config.ts'
import { SETTINGS } from '../../server/src/settings/setting-names.ts'

const page = readFileSync(new URL('../reference/settings.md', import.meta.url), 'utf8')
const rows = [...page.matchAll(/^\| `([A-Z0-9_]+)` \| (none|`([^`]+)`) \| (.+?) \| .+ \|$/gm)].map(
  ([, name = '', , value, values = '']) => ({ name, value, values }),
)

/** Settings of databases have no meaning without one. */
const ENV = { DEPUTY_DATABASE_URL: 'postgres://deputy@db.example.com/deputy' }

/** A default as a value: other settings stand in it by their names. */
function literal(value: string): string {
  return value.replace('DEPUTY_DATA_DIR', './data').replace('HOST', '127.0.0.1').replace('PORT', '8420')
}

describe('the reference of settings', () => {
  test('documents every setting, once, and invents none', () => {
    assert.deepEqual(rows.map(({ name }) => name).sort(), ['HOST', 'PORT', ...SETTINGS].sort())
  })

  test('states the defaults: setting one changes nothing', () => {
    for (const { name, value } of rows) {
      // The store resolves this path itself, after it has read the settings.
      if (name === 'DEPUTY_MASTER_KEY_FILE') continue
      const env = value === undefined ? { [name]: '', ...ENV } : { ...ENV, [name]: literal(value) }
      assert.deepEqual(readConfig(env), readConfig(ENV), name)
    }
  })

  test('states the ranges: their ends are accepted, and anything beyond them is refused', () => {
    const ranges = rows.flatMap(({ name, values }) => {
      const [, least, most] = /^`(\d+)` to `(\d+)`$/.exec(values) ?? []
      return least === undefined || most === undefined
        ? []
        : [{ name, least: Number(least), most: Number(most) }]
    })
    assert.ok(ranges.length >= 10)
    for (const { name, least, most } of ranges) {
      const isCount = name === 'DEPUTY_WITNESS_QUORUM' // bounded by the number of witnesses as well
      for (const value of isCount ? [least] : [least, most]) readConfig({ ...ENV, [name]: String(value) })
      for (const value of [least - 1, most + 1])
        assert.throws(() => readConfig({ ...ENV, [name]: String(value) }), ConfigError, `${name}=${value}`)
    }
  })

  test('lists every value of a closed list', () => {
    for (const { name, values } of rows) {
      const listed = /^`\w+`(, `\w+`)+$/.test(values) ? [...values.matchAll(/\w+/g)].map(([one]) => one) : []
      for (const value of listed) readConfig({ ...ENV, [name]: value })
      if (listed.length > 0)
        assert.throws(() => readConfig({ ...ENV, [name]: 'nonsense' }), ConfigError, name)
    }
  })

  test('names the variables of callers that a service ignores', () => {
    const names = [...page.matchAll(/^\| `(DEPUTY_[A-Z_]+)` \| [^|]+ \|$/gm)].map(([, name = '']) => name)
    assert.equal(names.length, 4)
    for (const name of names) readConfig({ [name]: 'anything' })
  })
})
