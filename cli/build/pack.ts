/** Builds the npm package `deputize`: the service, the command `deputy` and the web pages. */
import { execFileSync } from 'node:child_process'
import { chmodSync, copyFileSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { compile } from './compile.ts'
import { packedManifest, partManifest } from './manifest.ts'
import { ROOT, sourcesOfDeputy } from './sources.ts'
import { thirdPartyLicences } from './third-party.ts'

const COMMAND = 'cli/bin/deputy.js'

/** Packs into `destination` and returns the path of the tarball. Does not change the repository. */
export async function packDeputy(destination: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'deputy-pack-'))
  try {
    await assemble(folder)
    const args = ['pack', '--silent', '--pack-destination', destination]
    const printed = execFileSync('npm', args, { cwd: folder, encoding: 'utf8' })
    return join(destination, printed.trim())
  } finally {
    rmSync(folder, { recursive: true })
  }
}

async function assemble(folder: string): Promise<void> {
  const sources = await sourcesOfDeputy()
  await compile(sources, folder)
  for (const place of [COMMAND, ...sources.data]) bring(place, folder)
  chmodSync(join(folder, COMMAND), 0o755)
  writeJson(join(folder, 'package.json'), packedManifest(sources.packages))
  writeFileSync(join(folder, 'THIRD-PARTY.md'), await thirdPartyLicences())
  copyFileSync(join(ROOT, 'LICENSE'), join(folder, 'LICENSE'))
  copyFileSync(join(ROOT, 'cli/README.md'), join(folder, 'README.md'))
}

function bring(place: string, folder: string): void {
  const to = join(folder, place)
  mkdirSync(dirname(to), { recursive: true })
  if (basename(place) === 'package.json') writeJson(to, partManifest(dirname(place)))
  else cpSync(join(ROOT, place), to, { recursive: true })
}

function writeJson(file: string, value: unknown): void {
  writeFileSync(file, `${JSON.stringify(value, undefined, 2)}\n`)
}

// npm runs scripts in the folder of their package; INIT_CWD is where npm was called.
if (import.meta.main) process.stdout.write(`${await packDeputy(process.env.INIT_CWD ?? process.cwd())}\n`)
