/**
 * Builds everything that a release publishes: the npm packages `deputize` and `@deputize/sdk`, and the Python wheel
 * `deputize`, with a bill of materials and checksums. With --dry-run, `npm publish` checks both tarballs and uploads
 * nothing. Without it, run this in CI with an OIDC token: `publishConfig.provenance` makes npm attach a provenance
 * statement, which needs one. The wheel is built here and uploaded by the CI job with PyPI's trusted publishing.
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { billOfMaterials } from './bill-of-materials.ts'
import { CHECKSUMS, writeChecksums } from './checksums.ts'
import { packDeputy } from './pack.ts'
import { ROOT } from './sources.ts'

const OUTPUT = join(ROOT, 'release')

function run(command: string, args: readonly string[]): string {
  return execFileSync(command, args, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })
}

function packSdk(): string {
  const printed = run('npm', ['pack', '--silent', '--workspace', 'sdk/node', '--pack-destination', OUTPUT])
  return join(OUTPUT, printed.trim().split('\n').at(-1) ?? '')
}

/** Builds the wheel and returns its name, or undefined if this machine has no Python with pip. */
function buildWheel(): string | undefined {
  try {
    run('python3', ['-m', 'pip', 'wheel', '--quiet', '--no-deps', '--wheel-dir', OUTPUT, 'sdk/python'])
  } catch {
    return undefined
  }
  return readdirSync(OUTPUT).find((name) => name.endsWith('.whl'))
}

/** Writes the bill of materials next to the tarball. */
async function writeBill(tarball: string): Promise<void> {
  const file = tarball.replace(/\.tgz$/, '.cdx.json')
  writeFileSync(file, `${JSON.stringify(await billOfMaterials(), undefined, 2)}\n`)
  process.stdout.write(`wrote ${basename(file)}\n`)
}

async function publish(is_dry: boolean): Promise<void> {
  rmSync(OUTPUT, { recursive: true, force: true }) // files of another release would end up in the checksums
  mkdirSync(OUTPUT, { recursive: true })
  const deputy = await packDeputy(OUTPUT)
  await writeBill(deputy)
  for (const tarball of [deputy, packSdk()]) {
    run('npm', ['publish', tarball, ...(is_dry ? ['--dry-run', '--no-provenance'] : [])])
    process.stdout.write(`${is_dry ? 'checked' : 'published'} ${basename(tarball)}\n`)
  }
  const wheel = buildWheel()
  process.stdout.write(
    wheel === undefined ? 'the wheel was not built: pip is missing or failed\n' : `built ${wheel}\n`,
  )
  writeChecksums(OUTPUT)
  process.stdout.write(`wrote ${CHECKSUMS}\n`)
}

await publish(process.argv.includes('--dry-run'))
