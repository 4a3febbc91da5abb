/** The first path after everything that begins with `path`. */
export function afterAll(path: Uint8Array): Uint8Array {
  const next = Buffer.from(path)
  next.writeBigUInt64BE(next.readBigUInt64BE(next.length - 8) + 1n, next.length - 8)
  return next
}

/** Of sorted paths, those that do not lie below another one. */
export function topmost(paths: readonly Uint8Array[]): Uint8Array[] {
  const top: Uint8Array[] = []
  for (const path of paths) {
    const last = top.at(-1)
    if (last === undefined || Buffer.compare(path, afterAll(last)) >= 0) top.push(path)
  }
  return top
}
