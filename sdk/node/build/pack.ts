/**
 * `prepack` builds the package and writes the `package.json` that users see; `postpack` restores the repository's,
 * whose exports are the sources. The next run repairs an interrupted one.
 */
import { copyFileSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { bundle, ENTRIES } from './bundle.ts'

const file = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url))
const SHOWN = file('package.json')
const KEPT = file('package.json.kept')

/** Returns the `package.json` to publish: with compiled files, and without what only this repository needs. */
export function publishedManifest(manifest: Record<string, unknown>): Record<string, unknown> {
  const { scripts: _scripts, devDependencies: _dev, exports: _sources, ...rest } = manifest
  const exports = Object.entries(ENTRIES).map(([path, name]) => [
    path,
    { types: `./dist/${name}.d.ts`, default: `./dist/${name}.js` },
  ])
  return { ...rest, types: './dist/index.d.ts', exports: Object.fromEntries(exports) }
}

/** Returns the licences of the third-party code in the compiled files. */
function thirdParty(): string {
  const parts = ['@noble/hashes', 'canonicalize'].map((name) => {
    const folder = file(`../../node_modules/${name}/`)
    return `## ${name}\n\n${readFileSync(`${folder}LICENSE`, 'utf8').trim()}\n`
  })
  return `# Third-party code in this package\n\n${parts.join('\n')}`
}

function putBack(): void {
  if (existsSync(KEPT)) renameSync(KEPT, SHOWN)
}

async function prepack(): Promise<void> {
  putBack()
  await bundle(file('dist'))
  copyFileSync(file('../../LICENSE'), file('LICENSE'))
  writeFileSync(file('THIRD-PARTY.md'), thirdParty())
  const text = readFileSync(SHOWN, 'utf8')
  writeFileSync(KEPT, text)
  writeFileSync(SHOWN, `${JSON.stringify(publishedManifest(JSON.parse(text)), undefined, 2)}\n`)
}

if (import.meta.main) await (process.argv[2] === 'post' ? putBack() : prepack())
