import assert from 'node:assert/strict'
import { dirname, join, relative, resolve } from 'node:path'
import { describe, test } from 'node:test'
import { importsIn, REPOSITORY } from '@deputize/testing/source-imports.ts'

/** Returns the files that load when a source of the engine is imported, including dynamic imports. */
function loadedBy(source: string): Set<string> {
  const loaded = new Set([source])
  for (const file of loaded)
    for (const { specifier, is_type_only } of importsIn(join(REPOSITORY, file)))
      if (specifier.startsWith('.') && !is_type_only)
        loaded.add(relative(REPOSITORY, resolve(dirname(join(REPOSITORY, file)), specifier)))
  return loaded
}

/** The code that reads pictures and sound, and that judges them with nets. */
const READERS = ['vision/jpeg-decoder', 'vision/open-vision', 'audio/read-sound', 'audio/open-audio'].map(
  (name) => `biometrics/src/${name}.ts`,
)

describe('pictures and sound', () => {
  test('are read by the judging process', () => {
    const loaded = loadedBy('biometrics/src/judging-process.ts')
    for (const reader of READERS) assert.ok(loaded.has(reader), reader)
  })

  test('are never read by the service, which does not even load the code for it', () => {
    const loaded = loadedBy('biometrics/src/index.ts')
    assert.ok(loaded.has('biometrics/src/pool/pool.ts'))
    for (const reader of READERS) assert.ok(!loaded.has(reader), reader)
  })
})
