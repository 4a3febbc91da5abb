import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { ROOT } from './sources.ts'

/** The licences of what the scripts of the web pages hold of others. */
export async function thirdParty(): Promise<string> {
  const parts = (await packagesInPages()).map((name) => `## ${name}\n\n${licenceOf(name)}\n`)
  return `# Code of others in this package\n\n${parts.join('\n')}`
}

async function packagesInPages(): Promise<string[]> {
  const { metafile } = await build({
    entryPoints: ['verify/verify.ts', 'people/people.ts'],
    absWorkingDir: join(ROOT, 'web'),
    outdir: 'dist',
    bundle: true,
    write: false,
    metafile: true,
    format: 'esm',
    conditions: ['browser'],
  })
  const names = Object.keys(metafile.inputs).map(
    (path) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1],
  )
  return [...new Set(names.filter((name) => name !== undefined))].sort()
}

function licenceOf(name: string): string {
  for (const file of ['LICENSE', 'LICENSE.md'])
    try {
      return readFileSync(join(ROOT, 'node_modules', name, file), 'utf8').trim()
    } catch {
      // under another name
    }
  throw new Error(`${name} comes without a licence`)
}
