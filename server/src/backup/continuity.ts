import { type Checkpoint, isKeyName } from '@deputize/protocol'

/**
 * Whether a restored log continues under its name. It does only if the newest checkpoint that anyone published is known
 * and the backup covers it. Otherwise the same key would sign a second history, which is what witnesses look for. A
 * checkpoint older than the one in the backup proves nothing, because it can't be the newest.
 */
export interface Continuity {
  readonly continues: boolean
  /** The size of the newest known checkpoint, if the backup is shorter. */
  readonly newest_size: number | undefined
}

export function continuityOf(
  { log_size, signed_size }: { readonly log_size: number; readonly signed_size: number },
  known: readonly Pick<Checkpoint, 'size'>[],
): Continuity {
  const newest = Math.max(-1, ...known.map(({ size }) => size))
  return {
    continues: newest >= signed_size && newest <= log_size,
    newest_size: newest > log_size ? newest : undefined,
  }
}

const RESTORED = /^(?<first>.*)\/restored\/(?<count>[1-9]\d{0,5})$/

/** Returns the name of the next log: `deputy.example.com/log/restored/1`, then `.../restored/2`. */
export function nextOrigin(origin: string): string {
  const { first = origin, count = '0' } = RESTORED.exec(origin)?.groups ?? {}
  const next = `${first}/restored/${Number(count) + 1}`
  if (!isKeyName(next)) throw new TypeError(`${origin} is not the name of a log`)
  return next
}
