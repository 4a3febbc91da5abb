/** Slack signs the calls that it makes when a person presses a button: version, time and the body's exact bytes. */
import { createHmac, timingSafeEqual } from 'node:crypto'

const TOLERANCE_S = 300

export interface SlackCall {
  readonly timestamp: string | undefined
  readonly signature: string | undefined
  readonly body: Uint8Array
}

/** Whether Slack sent these bytes recently, according to the app's signing secret. */
export function isFromSlack(
  { timestamp, signature, body }: SlackCall,
  signing_secret: string,
  now_ms: number,
): boolean {
  if (timestamp === undefined || signature === undefined || !/^\d{1,12}$/.test(timestamp)) return false
  if (Math.abs(now_ms / 1000 - Number(timestamp)) > TOLERANCE_S) return false
  const mac = createHmac('sha256', signing_secret).update(`v0:${timestamp}:`).update(body).digest('hex')
  const wanted = Buffer.from(`v0=${mac}`)
  const given = Buffer.from(signature)
  return given.length === wanted.length && timingSafeEqual(given, wanted)
}
