/** What the files of sign-in providers and verification providers have in common: `{"providers": [{…}]}`. */
import { JsonError, readJson } from '@deputize/protocol'

export type JsonMembers = Readonly<Record<string, unknown>>

/** Called with each mistake and its fix. */
export type SayProblem = (problem: string) => void

/** Returns the entries of the file. `form` shows what an entry looks like. */
export function listedProviders(text: string, form: string, say: SayProblem): JsonMembers[] {
  const document = parsedFile(text, say)
  if (document === undefined) return []
  const { providers, ...others } = jsonMembers(document) ?? {}
  for (const name of Object.keys(others))
    say(`Unknown member "${name}". The file has a single member, "providers".`)
  const entries = Array.isArray(providers) ? providers.map(jsonMembers) : []
  if (!Array.isArray(providers) || entries.includes(undefined))
    say(`The file must have the form {"providers": [${form}]}.`)
  return entries.filter((entry) => entry !== undefined)
}

function parsedFile(text: string, say: SayProblem): unknown {
  try {
    return readJson(text)
  } catch (error) {
    if (!(error instanceof JsonError)) throw error
    say(`The file is not valid JSON: ${error.message}`)
    return undefined
  }
}

export function jsonMembers(value: unknown): JsonMembers | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined
}

export function isListOfTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string' && one !== '')
}

export function sayRepeatedNames(entries: readonly { readonly name: string }[], say: SayProblem): void {
  for (const { name } of repeatedEntries(entries, (one) => one.name))
    say(`Two providers are named "${name}". Give each a name of its own.`)
}

/** Returns one entry for each key that occurs more than once. */
export function repeatedEntries<T>(list: readonly T[], keyOf: (one: T) => string): T[] {
  return [...Map.groupBy(list, keyOf).values()].flatMap((same) => same.slice(1, 2))
}
