import { AuthorityError } from '@deputize/protocol'
import { StoreError, saysFull } from '../port/store-error.ts'
import { isAsyncIterable, wrapMethods } from '../wrap-methods.ts'

/** SQLSTATE classes of temporary errors: connection, resources, operator, system, and standbys in recovery. */
const EPHEMERAL_CLASSES = ['08', '53', '57', '58', '40', '55']
/** A primary that became a standby. */
const READ_ONLY = '25006'
const NETWORK_CODES = /^(ECONN|EPIPE|ETIMEDOUT|EHOST|ENET|ENOTFOUND|EAI_)/
/** The driver has no codes for these. */
const DRIVER_MESSAGES =
  /^(Connection terminated|timeout e|Query read timeout|Client (was closed|has encountered))/

/** Whether an error means that the database is away or busy, rather than that the query was wrong. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (error instanceof StoreError) return true
  if (!(error instanceof Error)) return false
  if (error instanceof AggregateError) return error.errors.some(isDatabaseUnavailable)
  const code = 'code' in error ? String(error.code) : ''
  if (/^[0-9A-Z]{5}$/.test(code) && !NETWORK_CODES.test(code))
    return code === READ_ONLY || EPHEMERAL_CLASSES.includes(code.slice(0, 2))
  return NETWORK_CODES.test(code) || DRIVER_MESSAGES.test(error.message)
}

/** The user, password or database is rejected, as while credentials are replaced. A missing privilege is no bug. */
const LOGIN_REFUSED = /^(28...|3D000|42501)$/

/** Whether the database no longer lets this node in. */
function isShutOut(error: unknown): boolean {
  return error instanceof Error && 'code' in error && LOGIN_REFUSED.test(String(error.code))
}

/**
 * Wraps reads so that they fail with a temporary error while the store is away or its disk is full. `onTrouble` gets
 * each cause.
 */
export function refusingWhenAway<Room extends object>(room: Room, onTrouble: (cause: unknown) => void): Room {
  function translated(error: unknown): unknown {
    if (!isDatabaseUnavailable(error) && !isShutOut(error)) return error
    onTrouble(error)
    const refusal = new AuthorityError(saysFull(error) ? 'storage_full' : 'storage_unavailable')
    refusal.cause = error // for the log
    return refusal
  }
  async function* streamed(answer: AsyncIterable<unknown>): AsyncGenerator<unknown> {
    try {
      yield* answer
    } catch (error) {
      throw translated(error)
    }
  }
  return wrapMethods(room, (method) => (...given) => {
    const answer = method(...given)
    if (answer instanceof Promise)
      return answer.catch((error) => {
        throw translated(error)
      })
    return isAsyncIterable(answer) ? streamed(answer) : answer
  })
}
