import { createHash } from 'node:crypto'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { deserialize, serialize } from 'node:v8'
import type { Step, StepMedia } from '@deputize/biometrics'
import { aPuppet, type Puppet, type PuppetOptions } from './a-puppet.ts'
import { PUPPET_CACHE } from './fixtures.ts'
import { writeWhole } from './supplies.ts'

/**
 * A puppet that performs each task once and shows the same recording from then on: rendering is most of the work. What every
 * session may ask is kept for other test processes, too.
 */
export async function aRememberingPuppet(options: PuppetOptions): Promise<Puppet> {
  const puppet = await aPuppet(options)
  const known = new Map<string, Promise<StepMedia>>()
  return {
    perform(step, how) {
      const key = JSON.stringify([step, how])
      const media =
        known.get(key) ??
        (isCommon(step)
          ? kept(JSON.stringify([options, key]), () => puppet.perform(step, how))
          : puppet.perform(step, how))
      known.set(key, media)
      return media
    },
  }
}

/** Digits and colours are drawn from too many. */
function isCommon({ kind }: Step): boolean {
  return kind === 'neutral' || kind === 'move' || kind === 'gesture'
}

async function kept(what: string, make: () => Promise<StepMedia>): Promise<StepMedia> {
  const name = createHash('sha256').update(sources()).update(what).digest('hex')
  const file = join(PUPPET_CACHE, `film-${name}.bin`)
  if (existsSync(file)) return deserialize(readFileSync(file))
  const media = await make()
  writeWhole(file, serialize(media))
  return media
}

let hash: string | undefined

/** A puppet that was changed performs anew. */
function sources(): string {
  hash ??= globSync('*.ts', { cwd: import.meta.dirname })
    .sort()
    .reduce((all, name) => all.update(readFileSync(join(import.meta.dirname, name))), createHash('sha256'))
    .digest('hex')
  return hash
}
