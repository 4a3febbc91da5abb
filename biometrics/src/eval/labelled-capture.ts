import {
  ACCOMMODATIONS,
  type Accommodation,
  FLASH_COLORS,
  GESTURES,
  MOVEMENTS,
  type Step,
} from '../contract.ts'
import { EvaluationError } from './evaluation-error.ts'

/** The content of `capture.json`. File names are relative to its folder. */
export interface LabelledCapture {
  /** The person whose face is shown or, for an attack, claimed. */
  readonly subject: string
  /** `bona_fide`, or the kind of attack. */
  readonly species: string
  /** The template of a subject is made from its captures with `enroll`. */
  readonly purpose: 'enroll' | 'verify'
  readonly accommodations: readonly Accommodation[]
  readonly steps: readonly LabelledStep[]
}

export interface LabelledStep {
  readonly step: Step
  readonly frames: readonly { readonly t_ms: number; readonly file: string }[]
  readonly sound: { readonly t0_ms: number; readonly file: string } | undefined
  readonly video_label: string | undefined
}

export const BONA_FIDE = 'bona_fide'

/** Reads `capture.json`. Throws an `EvaluationError` that names the invalid member. */
export function readLabels(text: string, place: string): LabelledCapture {
  const labels = new Labels(parsed(text, place), place)
  return {
    subject: labels.name('subject'),
    species: labels.name('species'),
    purpose: labels.oneOf('purpose', ['enroll', 'verify']),
    accommodations: labels.list('accommodations').map((each) => each.itself(ACCOMMODATIONS)),
    steps: labels.list('steps').map(readStep),
  }
}

function readStep(labels: Labels): LabelledStep {
  const sound = labels.optional('sound')
  return {
    step: readTask(labels.member('step')),
    frames: labels.list('frames').map((frame) => ({ t_ms: frame.number('t_ms'), file: frame.file('file') })),
    sound: sound && { t0_ms: sound.number('t0_ms'), file: sound.file('file') },
    video_label: labels.optional('video_label')?.text(),
  }
}

function readTask(labels: Labels): Step {
  const kind = labels.oneOf('kind', ['neutral', 'move', 'flash', 'speak', 'gesture'])
  switch (kind) {
    case 'neutral':
      return { kind }
    case 'move':
      return { kind, movement: labels.oneOf('movement', MOVEMENTS) }
    case 'flash':
      return {
        kind,
        colors: labels.list('colors').map((color) => color.itself(FLASH_COLORS)),
        slot_ms: labels.number('slot_ms'),
      }
    case 'speak':
      return { kind, digits: labels.name('digits') }
    case 'gesture':
      return { kind, gesture: labels.oneOf('gesture', GESTURES) }
  }
}

function parsed(text: string, place: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new EvaluationError(`${place} is not JSON.`)
  }
}

/** A value of `capture.json`, with its place for error messages. */
class Labels {
  readonly #value: unknown
  readonly #place: string

  constructor(value: unknown, place: string) {
    this.#value = value
    this.#place = place
  }

  member(name: string): Labels {
    const { [name]: value } = Object(this.#value) as Record<string, unknown> // any object has members
    return new Labels(value, `${this.#place}: ${name}`)
  }

  optional(name: string): Labels | undefined {
    const found = this.member(name)
    return found.#value === undefined || found.#value === null ? undefined : found
  }

  /** Returns a list. An absent one is empty. */
  list(name: string): Labels[] {
    const found = this.optional(name)
    if (found === undefined) return []
    if (!Array.isArray(found.#value)) throw new EvaluationError(`${found.#place} must be a list.`)
    return found.#value.map((value, index) => new Labels(value, `${found.#place}[${index}]`))
  }

  text(): string {
    if (typeof this.#value === 'string' && this.#value !== '') return this.#value
    throw new EvaluationError(`${this.#place} must be a text.`)
  }

  name(name: string): string {
    return this.member(name).text()
  }

  /** Returns a file in the capture's folder, so that labels from elsewhere can't name other files. */
  file(name: string): string {
    const found = this.name(name)
    if (/^[\w][\w.-]*$/.test(found)) return found
    throw new EvaluationError(`${this.#place}: ${name} must be the name of a file in the same folder.`)
  }

  number(name: string): number {
    const { [name]: value } = Object(this.#value) as Record<string, unknown> // any object has members
    if (typeof value === 'number' && Number.isFinite(value)) return value
    throw new EvaluationError(`${this.#place}: ${name} must be a number.`)
  }

  oneOf<Word extends string>(name: string, words: readonly Word[]): Word {
    return this.member(name).itself(words)
  }

  itself<Word extends string>(words: readonly Word[]): Word {
    const found = words.find((word) => word === this.#value)
    if (found !== undefined) return found
    throw new EvaluationError(`${this.#place} must be one of ${words.join(', ')}.`)
  }
}
