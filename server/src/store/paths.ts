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

/** The path of a token: that of the token above it, then its own key. Everything below a token begins with its path. */
export function pathBelow(above: Uint8Array | undefined, token_key: number): Uint8Array {
  const own = Buffer.alloc(8)
  own.writeBigUInt64BE(BigInt(token_key))
  return above === undefined ? own : Buffer.concat([above, own])
}
