import type { FormFault } from './port.ts'

/** Everything that a schema is made of, by kind and name, each as the store itself writes it down. */
export type Form = ReadonlyMap<string, string>

/** What differs from the form that a store should have. */
export function formFaults(found: Form, wanted: Form): FormFault[] {
  const faults: FormFault[] = []
  for (const [name, definition] of wanted) {
    if (!found.has(name)) faults.push({ name, sentence: `The ${name} is missing.` })
    else if (found.get(name) !== definition)
      faults.push({ name, sentence: `The ${name} is another than this version makes.` })
  }
  for (const name of found.keys())
    if (!wanted.has(name)) faults.push({ name, sentence: `The ${name} is not part of a store of Deputy.` })
  return faults
}
