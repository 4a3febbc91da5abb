import { styleText } from 'node:util'
import { cutText } from '@deputize/protocol'
import type { Environment } from '../environment.ts'

export type Style = Parameters<typeof styleText>[0]

const BOXES = {
  branch: '├─ ',
  last: '└─ ',
  line: '│  ',
  gap: '   ',
  mark: '▶ ',
  cut: '…',
  dot: ' · ',
} as const
const ASCII = {
  branch: '|- ',
  last: '`- ',
  line: '|  ',
  gap: '   ',
  mark: '> ',
  cut: '~',
  dot: ', ',
} as const

/** The terminal or file that the output goes to. */
export interface Screen {
  readonly width: number
  readonly glyphs: typeof BOXES | typeof ASCII
  /** Colors the text on a terminal that supports it. */
  paint(style: Style, text: string): string
}

const NARROWEST_SCREEN = 40
const DEFAULT_WIDTH = 80

export function screenOf(stream: NodeJS.WriteStream, env: Environment): Screen {
  return {
    width: Math.max(NARROWEST_SCREEN, stream.columns ?? DEFAULT_WIDTH),
    glyphs: hasBoxes(env) ? BOXES : ASCII,
    paint: (style, text) => styleText(style, text, { stream }),
  }
}

/** Whether the locale supports more than ASCII. */
function hasBoxes(env: Environment): boolean {
  const locale = env.LC_ALL || env.LC_CTYPE || env.LANG || ''
  return /utf-?8/i.test(locale) || env.WT_SESSION !== undefined
}

const HARMFUL = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/v

let made: RegExp | undefined

/**
 * Matches an emoji (the first group), which may contain joiners and is drawn as one character, or a harmful character.
 * Built for the first text with a harmful character: that takes 20 ms, and most commands print none.
 */
function emojiOrHarmful(): RegExp {
  made ??= new RegExp(String.raw`(\p{RGI_Emoji})|${HARMFUL.source}`, 'gv')
  return made
}

/**
 * Replaces control and formatting characters in untrusted text. They could move the cursor, overwrite other lines, or
 * reverse the writing direction to disguise a word.
 */
export function harmless(text: string): string {
  if (!HARMFUL.test(text)) return text
  return text.replaceAll(emojiOrHarmful(), (_, emoji: string | undefined) => emoji ?? '?')
}

export function shortened(text: string, width: number, { glyphs }: Screen): string {
  return cutText(text, width, glyphs.cut)
}
