import { harmless } from './screen.ts'

/** Lines of names and aligned values. Undefined values are left out. */
export function facts(entries: readonly (readonly [string, string | undefined])[]): string {
  const shown = entries.filter(([, value]) => value !== undefined)
  const width = Math.max(...shown.map(([name]) => name.length))
  return shown.map(([name, value = '']) => `${name.padEnd(width)}  ${harmless(value)}\n`).join('')
}
