import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { StepMedia } from '../contract.ts'
import { EvaluationError } from './evaluation-error.ts'
import { type LabelledCapture, type LabelledStep, readLabels } from './labelled-capture.ts'
import { samplesOfWav } from './wav.ts'

/** A capture on disk. Its media is read when it is judged, so that a folder may be larger than memory. */
export interface StoredCapture extends LabelledCapture {
  /** Its folder, relative to the evaluated folder. */
  readonly place: string
  mediaOf(step: LabelledStep): StepMedia
}

/** Returns all captures below a folder, sorted by name. */
export function readFolder(folder: string): StoredCapture[] {
  if (!existsSync(folder)) throw new EvaluationError(`There is no folder ${folder}.`)
  const places = globSync('**/capture.json', { cwd: folder }).sort()
  if (places.length === 0)
    throw new EvaluationError(
      `${folder} contains no capture.json. Write an example with: deputy bio-eval ${folder} --example`,
    )
  return places.map((place) => storedCapture(folder, dirname(place)))
}

function storedCapture(folder: string, place: string): StoredCapture {
  const read = (file: string) => readMedia(join(folder, place, file))
  return {
    ...readLabels(readFileSync(join(folder, place, 'capture.json'), 'utf8'), join(place, 'capture.json')),
    place,
    mediaOf: ({ frames, sound, video_label }) => ({
      frames: frames.map(({ t_ms, file }) => ({ t_ms, jpeg: read(file) })),
      sound: sound && {
        t0_ms: sound.t0_ms,
        pcm16: samplesOfWav(read(sound.file), join(place, sound.file)),
      },
      device: { video_label },
    }),
  }
}

function readMedia(file: string): Buffer {
  try {
    return readFileSync(file)
  } catch {
    throw new EvaluationError(`${file} cannot be read.`)
  }
}
