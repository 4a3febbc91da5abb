import { DAY_MS, MINUTE_MS } from '../domain/times/time.ts'
import { type EphemeralStore, putEphemeral } from '../store/ephemeral.ts'
import { REMEMBERED_KEYS } from './key-holders.ts'

const KEPT_MS = 30 * DAY_MS

/** When each API key was last used, to the minute. */
export class KeyUses {
  readonly #ephemeral: EphemeralStore
  readonly #clock: () => number
  /** The last minute that this process wrote, by key. */
  readonly #written = new Map<string, number>()

  constructor(ephemeral: EphemeralStore, clock: () => number) {
    this.#ephemeral = ephemeral
    this.#clock = clock
  }

  /** Writes at most once a minute per key. Never waits, and leaves a failed write to the next minute. */
  note(key_id: string): void {
    const minute = Math.floor(this.#clock() / MINUTE_MS)
    if (this.#written.get(key_id) === minute) return
    if (this.#written.size >= REMEMBERED_KEYS) this.#written.clear()
    this.#written.set(key_id, minute)
    this.#write(key_id, minute * MINUTE_MS).catch(() => {})
  }

  async lastUse(key_id: string): Promise<number | undefined> {
    const entry = await this.#ephemeral.get('key_use', key_id)
    return entry === undefined ? undefined : Number(entry.value)
  }

  async #write(key_id: string, used_at_ms: number): Promise<void> {
    const entry = {
      key: key_id,
      value: String(used_at_ms),
      owner: undefined,
      expires_at_ms: used_at_ms + KEPT_MS,
    }
    await putEphemeral(this.#ephemeral, 'key_use', entry)
  }
}
