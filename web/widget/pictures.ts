/** A drawing for each step. Left is the person's left, as in a mirror. */

import { svgElement } from './dom.ts'
import type { WidgetStep } from './session-calls.ts'

const HEAD = 'M48 16c-13 0-21 10-21 25 0 17 9 29 21 29s21-12 21-29c0-15-8-25-21-25z'
const SHOULDERS = 'M14 92c3-12 13-16 24-18l2-7M82 92c-3-12-13-16-24-18l-2-7'
const EYES = 'M40 40v3M56 40v3'
const CLOSED_EYES = 'M36 42c2 3 6 3 8 0M52 42c2 3 6 3 8 0'
const MOUTH = 'M42 56c3 3 9 3 12 0'
const PERSON = [HEAD, SHOULDERS, EYES, MOUTH]
const ARROW_LEFT = 'M24 42H6M13 34l-8 8 8 8'
const ARROW_RIGHT = 'M72 42h18M83 34l8 8-8 8'
const PALM = 'M34 50v22c0 10 6 16 15 16s15-6 15-16V50'
const THUMB = 'M34 66l-9-10'
const FOLDED = 'M34 50c0-7 30-7 30 0M41 48v10M49 48v10M57 48v10'

const PICTURES: Readonly<Record<string, readonly string[]>> = {
  neutral: PERSON,
  turn_left: [...PERSON, ARROW_LEFT],
  turn_right: [...PERSON, ARROW_RIGHT],
  look_up: [...PERSON, 'M86 58V26M78 34l8-8 8 8'],
  look_down: [...PERSON, 'M86 26v32M78 50l8 8 8-8'],
  open_mouth: [HEAD, SHOULDERS, EYES, 'M48 51c-5 0-7 3-7 7s2 7 7 7 7-3 7-7-2-7-7-7z'],
  blink: [HEAD, SHOULDERS, CLOSED_EYES, MOUTH],
  move_closer: [...PERSON, 'M10 30V12h18M10 12l10 10M86 30V12H68M86 12L76 22'],
  flash: [...PERSON, 'M48 10V4M20 20l-5-5M76 20l5-5M16 44H9M80 44h7'],
  speak: [HEAD, SHOULDERS, EYES, 'M43 55h10c0 6-10 6-10 0z', 'M76 48c4 5 4 13 0 18M83 43c7 8 7 20 0 28'],
  thumbs_up: [
    'M36 52l8-22c2-6 10-4 9 3l-2 13h13c8 0 8 10 3 11 5 1 5 9 0 10 4 2 3 9-2 9 2 3 0 8-5 8H46c-5 0-10-3-10-3zM36 50H22v34h14',
  ],
  victory: [PALM, THUMB, 'M38 50L30 16M50 48l10-33M49 50v8M57 48v10M64 52c0-5-7-6-7-6'],
  open_palm: [PALM, THUMB, 'M34 52V26M44 48V16M54 48V18M64 52V26', 'M25 56c-6-6-11 0-7 5l16 18'],
  point_up: [PALM, FOLDED, THUMB, 'M41 48V12'],
}

/** Decoration: the prompt says the same in text. */
export function pictureOf({
  kind,
  movement,
  gesture,
}: Pick<WidgetStep, 'kind' | 'movement' | 'gesture'>): SVGElement {
  return drawing(PICTURES[movement ?? gesture ?? kind] ?? PERSON, 'picture')
}

export const CHECK_MARK = ['M16 50l22 22 42-46']
export const CROSS_MARK = ['M26 26l44 44M70 26L26 70']
export const PASSKEY_MARK = ['M44 48a17 17 0 1 1-.1-1zM44 48h42v15M69 48v11']
export const LOOP_MARK = ['M76 34a32 32 0 1 0 4 24M78 16v20H58']
export const CAMERA_MARK = [
  'M12 30h46c4 0 6 2 6 6v26c0 4-2 6-6 6H12c-4 0-6-2-6-6V36c0-4 2-6 6-6zM64 44l24-12v34L64 54',
]

export function drawing(paths: readonly string[], kind: string): SVGElement {
  const attributes = { viewBox: '0 0 96 96', class: kind, 'aria-hidden': 'true', focusable: 'false' }
  return svgElement('svg', attributes, ...paths.map((d) => svgElement('path', { d })))
}
