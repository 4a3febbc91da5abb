import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { temporaryDirectory } from '@deputize/testing/scope.ts'
import { BackupUnreadable, openSealedFile, sealedFile } from '../../src/backup/sealed-file.ts'

const PASSPHRASE = 'correct horse battery staple'
const CHEAP = { cost: 2, block: 8, parallel: 1, salt: 'c2FsdA' }
const CHUNK = 64 * 1024

const isNamed = (value: object): value is { name: string } => 'name' in value

async function* pieces(content: Buffer, size = 10_000): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < content.length; start += size) yield content.subarray(start, start + size)
}

async function joined(source: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const found: Uint8Array[] = []
  for await (const piece of source) found.push(piece)
  return Buffer.concat(found)
}

async function aFile(t: TestContext, content: Buffer): Promise<string> {
  const { head, seal } = await sealedFile({ name: 'a test' }, PASSPHRASE, CHEAP)
  const path = join(temporaryDirectory(t), 'file')
  writeFileSync(path, Buffer.concat([head, await joined(seal(pieces(content)))]))
  return path
}

async function contentOf(path: string, passphrase = PASSPHRASE): Promise<Buffer> {
  const { content } = await openSealedFile(path, passphrase, isNamed)
  return joined(content())
}

const refusal = (path: string, passphrase?: string) =>
  contentOf(path, passphrase).then(
    () => 'opened',
    (error) => {
      assert.ok(error instanceof BackupUnreadable, String(error))
      return error.message
    },
  )

describe('a sealed file', () => {
  for (const size of [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK, 200_001])
    test(`of ${size} bytes opens with its passphrase`, async (t) => {
      const content = randomBytes(size)
      assert.deepEqual(await contentOf(await aFile(t, content)), content)
    })

  test('hides its content and shows its header', async (t) => {
    const path = await aFile(t, Buffer.from('the secret of the deployment'))
    const bytes = readFileSync(path)
    assert.ok(bytes.includes('a test'))
    assert.ok(!bytes.includes('secret of'))
  })

  test('does not open with another passphrase', async (t) => {
    assert.match(
      await refusal(await aFile(t, Buffer.from('x')), 'another passphrase'),
      /passphrase does not open/,
    )
  })

  test('does not open if any byte was changed', async (t) => {
    const path = await aFile(t, randomBytes(2 * CHUNK + 100))
    const whole = readFileSync(path)
    for (let place = 0; place < whole.length; place += place < 400 ? 1 : 7_919) {
      const changed = Buffer.from(whole)
      changed[place] = (changed[place] ?? 0) ^ 0x01
      writeFileSync(path, changed)
      assert.notEqual(await refusal(path), 'opened', `byte ${place}`)
    }
  })

  test('does not open if it was truncated anywhere, or extended', async (t) => {
    const path = await aFile(t, randomBytes(2 * CHUNK + 100))
    const whole = readFileSync(path)
    const header = whole.indexOf('\n', 'deputy-backup/1\n'.length) + 1
    const ends = [0, 5, header - 1, header, header + CHUNK + 16, header + 2 * (CHUNK + 16), whole.length - 1]
    for (const end of ends) {
      writeFileSync(path, whole.subarray(0, end))
      assert.notEqual(await refusal(path), 'opened', `${end} bytes`)
    }
    writeFileSync(path, whole.subarray(0, header + CHUNK + 16))
    assert.match(await refusal(path), /is cut off: its end is missing/)
    writeFileSync(path, Buffer.concat([whole, Buffer.from('x')]))
    assert.match(await refusal(path), /changed or cut off/)
  })

  test('does not open if chunks were swapped', async (t) => {
    const path = await aFile(t, randomBytes(3 * CHUNK))
    const whole = readFileSync(path)
    const header = whole.indexOf('\n', 'deputy-backup/1\n'.length) + 1
    const sealed = CHUNK + 16
    const swapped = Buffer.concat([
      whole.subarray(0, header),
      whole.subarray(header + sealed, header + 2 * sealed),
      whole.subarray(header, header + sealed),
      whole.subarray(header + 2 * sealed),
    ])
    writeFileSync(path, swapped)
    assert.match(await refusal(path), /was changed in the 64 KiB after chunk 0/)
  })

  test('is distinguished from other files and other formats', async (t) => {
    const path = join(temporaryDirectory(t), 'file')
    writeFileSync(path, 'hello')
    assert.match(await refusal(path), /is not a backup of Deputy/)
    writeFileSync(path, 'deputy-backup/2\n{}\n')
    assert.match(await refusal(path), /a format that this version of Deputy does not know/)
    assert.match(await refusal(join(path, 'nothing')), /cannot be read/)
  })

  test('that asks for more memory than any backup needs is refused', async (t) => {
    const path = await aFile(t, Buffer.from('x'))
    writeFileSync(path, readFileSync(path, 'latin1').replace('"cost":2', '"cost":1073741824'), 'latin1')
    assert.match(await refusal(path), /manifest of .* was changed/)
  })
})
