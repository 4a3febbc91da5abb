import { rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { COMPILED, compile } from './compile.ts'
import { ROOT, sourcesOfDeputy } from './sources.ts'

const FOLDER = join(ROOT, COMPILED)
/** Lists the compiled sources, for `cli/bin/deputy.js`. */
const RECORD = join(FOLDER, 'sources.json')

/**
 * Compiles the program of this clone. The command runs it until a source changes. A service that is running still finds
 * its files, unless `anew` is set.
 */
export async function compileClone({ anew = false } = {}): Promise<void> {
  rmSync(anew ? FOLDER : RECORD, { recursive: true, force: true })
  const sources = await sourcesOfDeputy()
  const times = [...sources.files].map((file) => [file, statSync(join(ROOT, file)).mtimeMs] as const)
  await compile(sources, ROOT)
  writeFileSync(RECORD, JSON.stringify(Object.fromEntries(times)))
}
