import { rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { COMPILED, compile } from './compile.ts'
import { ROOT, sourcesOfDeputy } from './sources.ts'

const FOLDER = join(ROOT, COMPILED)
/** Tells `cli/bin/deputy.js` which sources have been compiled. */
const RECORD = join(FOLDER, 'sources.json')

/**
 * Compiles the program of this clone. The command runs it as long as no source has changed since. A service that runs
 * meanwhile finds its files, unless they are made `anew`.
 */
export async function compileClone({ anew = false } = {}): Promise<void> {
  rmSync(anew ? FOLDER : RECORD, { recursive: true, force: true })
  const sources = await sourcesOfDeputy()
  const times = [...sources.files].map((file) => [file, statSync(join(ROOT, file)).mtimeMs] as const)
  await compile(sources, ROOT)
  writeFileSync(RECORD, JSON.stringify(Object.fromEntries(times)))
}
