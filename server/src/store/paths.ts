/** Returns the first path after all paths that begin with `path`. */
export function afterAll(path: Uint8Array): Uint8Array {
  const next = Buffer.from(path)
  next.writeBigUInt64BE(next.readBigUInt64BE(next.length - 8) + 1n, next.length - 8)
  return next
}

/** Returns the paths that aren't below another one. `paths` must be sorted. */
export function topmost(paths: readonly Uint8Array[]): Uint8Array[] {
  const top: Uint8Array[] = []
  for (const path of paths) {
    const last = top.at(-1)
    if (last === undefined || Buffer.compare(path, afterAll(last)) >= 0) top.push(path)
  }
  return top
}

/** Returns a token's path: its parent's path followed by its own key. Every descendant's path begins with it. */
export function pathBelow(above: Uint8Array | undefined, token_key: number): Uint8Array {
  const own = Buffer.alloc(8)
  own.writeBigUInt64BE(BigInt(token_key))
  return above === undefined ? own : Buffer.concat([above, own])
}

/** Returns the keys in a path, from the root down to the token itself. */
export function keysInPath(path: Uint8Array): number[] {
  const view = new DataView(path.buffer, path.byteOffset, path.byteLength)
  return Array.from({ length: path.length / 8 }, (_, index) => Number(view.getBigUint64(index * 8)))
}
