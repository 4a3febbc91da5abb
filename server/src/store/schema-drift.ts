import type { FormFault } from './port/store-tables.ts'

/** The objects of a schema by kind and name, each with the definition that the store itself reports. */
export type Form = ReadonlyMap<string, string>

/** Returns the differences from the form that a store should have. */
export function formFaults(found: Form, wanted: Form): FormFault[] {
  const faults: FormFault[] = []
  for (const [name, definition] of wanted) {
    if (!found.has(name)) faults.push({ name, sentence: `The ${name} is missing.` })
    else if (found.get(name) !== definition)
      faults.push({ name, sentence: `The ${name} differs from the one this version creates.` })
  }
  for (const name of found.keys())
    if (!wanted.has(name)) faults.push({ name, sentence: `The ${name} does not belong to a Deputy store.` })
  return faults
}
