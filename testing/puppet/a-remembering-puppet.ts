import { createHash } from 'node:crypto'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { deserialize, serialize } from 'node:v8'
import type { Step, StepMedia } from '@deputize/biometrics'
import { aPuppet, type Puppet, type PuppetOptions } from './a-puppet.ts'
import { PUPPET_CACHE } from './fixtures.ts'
import { writeWhole } from './supplies.ts'

/**
 * A puppet that performs each task once and then shows the same recording: rendering is most of the work. Tasks that
 * any session may ask for are also kept for other test processes.
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

/** Whether the step is worth keeping: there are too many combinations of digits and colours. */
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

/** A hash of the puppet's sources: a changed puppet performs anew. */
function sources(): string {
  hash ??= globSync('*.ts', { cwd: import.meta.dirname })
    .sort()
    .reduce((all, name) => all.update(readFileSync(join(import.meta.dirname, name))), createHash('sha256'))
    .digest('hex')
  return hash
}
