import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Step } from '../contract.ts'
import { EvaluationError } from './evaluation-error.ts'
import { greyJpeg } from './grey-jpeg.ts'
import { wavOf } from './wav.ts'

/** Frames of each step. The pictures are grey: the example shows the layout, not a person. */
const FRAMES = 12
const FRAME_MS = 83
const SOUND_MS = 1_000
const BYTES_PER_MS = 32

const STEPS: readonly Step[] = [
  { kind: 'neutral' },
  { kind: 'move', movement: 'turn_left' },
  { kind: 'move', movement: 'turn_right' },
  { kind: 'move', movement: 'open_mouth' },
  { kind: 'flash', colors: ['red', 'green', 'black', 'blue'], slot_ms: 350 },
  { kind: 'speak', digits: '402913' },
  { kind: 'gesture', gesture: 'victory' },
]

/** Writes one capture to `<folder>/example` and returns its path. */
export function writeExample(folder: string): string {
  const place = join(folder, 'example')
  if (existsSync(place)) throw new EvaluationError(`${place} exists. Remove it, or name another folder.`)
  mkdirSync(place, { recursive: true })
  const picture = greyJpeg(640, 480)
  const steps = STEPS.map((step, index) => {
    const name = `${index + 1}-${step.kind}`
    const frames = Array.from({ length: FRAMES }, (_, frame) => ({
      t_ms: frame * FRAME_MS,
      file: `${name}-${String(frame).padStart(2, '0')}.jpg`,
    }))
    for (const { file } of frames) writeFileSync(join(place, file), picture)
    return { step, frames, ...(step.kind === 'speak' && { sound: writeSilence(place, `${name}.wav`) }) }
  })
  const labels = { subject: 'nobody', species: 'bona_fide', purpose: 'verify', accommodations: [], steps }
  writeFileSync(join(place, 'capture.json'), `${JSON.stringify(labels, undefined, 2)}\n`)
  return place
}

function writeSilence(place: string, file: string): { t0_ms: number; file: string } {
  writeFileSync(join(place, file), wavOf(new Uint8Array(SOUND_MS * BYTES_PER_MS)))
  return { t0_ms: 0, file }
}
