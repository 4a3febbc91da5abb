/** Throws a TypeError that names what is not known: a misspelled limit would be no limit. */
export function checkOptions(options: unknown, known: Readonly<Record<string, true>>): void {
  const names = Object.keys(known)
  if (typeof options !== 'object' || options === null)
    throw new TypeError(`The options have to be an object; there are ${names.join(', ')}.`)
  for (const name of Object.keys(options))
    if (!Object.hasOwn(known, name))
      throw new TypeError(`There is no option ${name}; there are ${names.join(', ')}.`)
}
