import { randomBytes } from 'node:crypto'

const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/
const PROCESS_ID = randomBytes(6).toString('hex')
let requests = 0

/** Returns the caller's request id, or a new one that is unique across processes if it is missing or malformed. */
export function requestId(given: unknown): string {
  if (typeof given === 'string' && REQUEST_ID.test(given)) return given
  requests += 1
  return `req_${PROCESS_ID}_${requests.toString(36)}`
}
