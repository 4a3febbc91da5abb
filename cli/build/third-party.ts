import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { ROOT } from './sources.ts'

/** The licences of third-party code in the scripts of the web pages. */
export async function thirdPartyLicences(): Promise<string> {
  const parts = (await packagesInPages()).map((name) => `## ${name}\n\n${licenceOf(name)}\n`)
  return `# Third-party code in this package\n\n${parts.join('\n')}`
}

/** The packages whose code the scripts of the web pages contain. */
export async function packagesInPages(): Promise<string[]> {
  const { metafile } = await build({
    entryPoints: [
      'verify/verify.ts',
      'people/people.ts',
      'widget/widget.ts',
      'verify-me/verify-me.ts',
      'app/main.tsx',
    ],
    absWorkingDir: join(ROOT, 'web'),
    outdir: 'dist',
    bundle: true,
    write: false,
    metafile: true,
    format: 'esm',
    conditions: ['browser'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
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
      // try the next name
    }
  throw new Error(`${name} has no licence file.`)
}
