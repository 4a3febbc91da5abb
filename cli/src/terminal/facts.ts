import { harmless } from './screen.ts'

/** Lines of names and values, the values aligned. What is undefined is left out. */
export function facts(entries: readonly (readonly [string, string | undefined])[]): string {
  const told = entries.filter(([, value]) => value !== undefined)
  const width = Math.max(...told.map(([name]) => name.length))
  return told.map(([name, value = '']) => `${name.padEnd(width)}  ${harmless(value)}\n`).join('')
}
