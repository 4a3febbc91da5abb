/** Throws a TypeError that names an unknown option. Otherwise a misspelled limit would be ignored. */
export function checkOptions(options: unknown, known: Readonly<Record<string, true>>): void {
  const names = Object.keys(known)
  if (typeof options !== 'object' || options === null)
    throw new TypeError(`The options must be an object. Known options: ${names.join(', ')}.`)
  for (const name of Object.keys(options))
    if (!Object.hasOwn(known, name))
      throw new TypeError(`Unknown option ${name}. Known options: ${names.join(', ')}.`)
}
