import { styleText } from 'node:util'

export type Style = Parameters<typeof styleText>[0]
type Environment = Readonly<Record<string, string | undefined>>

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

/** What the output is drawn on. */
export interface Screen {
  readonly width: number
  readonly glyphs: typeof BOXES | typeof ASCII
  /** Coloured on a terminal that wants it; elsewhere the text as it is. */
  paint(style: Style, text: string): string
}

const NARROWEST = 40
const USUAL = 80

export function screenOf(stream: NodeJS.WriteStream, env: Environment): Screen {
  return {
    width: Math.max(NARROWEST, stream.columns ?? USUAL),
    glyphs: hasBoxes(env) ? BOXES : ASCII,
    paint: (style, text) => styleText(style, text, { stream }),
  }
}

/** Whether the locale says that more than ASCII is understood. */
function hasBoxes(env: Environment): boolean {
  const locale = env.LC_ALL || env.LC_CTYPE || env.LANG || ''
  return /utf-?8/i.test(locale) || env.WT_SESSION !== undefined
}

/**
 * Text that others chose, made harmless: control characters could move the cursor and rewrite what stands above, and
 * characters that turn the direction of writing could make one word look like another.
 */
export function harmless(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '?')
}

export function shortened(text: string, width: number, { glyphs }: Screen): string {
  const letters = [...text]
  return letters.length <= width ? text : `${letters.slice(0, Math.max(0, width - 1)).join('')}${glyphs.cut}`
}
