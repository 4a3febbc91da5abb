import { connect } from 'node:tls'
import type { RelayedBatch } from '../thread.ts'
import { BEAT_MS } from './clerk-listener.ts'
import { encodeFrame, FrameReader, MOST_FRAME_BYTES, type RelayFrame } from './frames.ts'
import { RELAY_IDENTITY, RELAY_TLS } from './relay-key.ts'

/** A node that is silent for this long gets no more batches until it is heard again. */
const DOUBT_MS = 700
/**
 * A node that is silent for this long counts as stopped or unreachable. The outcome of unanswered batches is unknown.
 */
const SILENCE_MS = 1_600
/**
 * How long a node that no longer writes for all may take for its last answers. It may have lost the database, and
 * would give up much later.
 */
const LAST_ANSWERS_MS = 2_000

export interface ClerkAddress {
  readonly host: string
  readonly port: number
  /** The process that must answer there. */
  readonly holder: string
}

/** A forwarded batch got no answer. It may have been committed, or may be committed later. */
export class UnansweredBatch extends Error {
  override readonly name = 'UnansweredBatch'
}

interface WaitingAnswer {
  resolve(result: string): void
  reject(error: Error): void
}

/** The connection of this node to the one that writes for all. */
export interface ClerkConnection {
  readonly holder: string
  /** Whether the other node has proved who it is and takes batches. */
  isReady(): boolean
  hasEnded(): boolean
  /** Undefined if the batch can't be sent. Otherwise rejects with `UnansweredBatch` unless the other node has committed it. */
  send(batch: RelayedBatch): Promise<string> | undefined
  /** Sends nothing more and closes after the last answer, or when that takes too long. */
  leave(): void
}

export function connectToClerk(
  { host, port, holder }: ClerkAddress,
  key: Uint8Array,
  onEnd: (cause: Error | undefined) => void,
): ClerkConnection {
  const reader = new FrameReader()
  const waiting = new Map<number, WaitingAnswer>()
  let sent = 0
  let state: 'opening' | 'ready' | 'leaving' | 'ended' = 'opening'
  let heard_at_ms = performance.now()
  let leaving: NodeJS.Timeout | undefined
  const socket = connect({
    ...RELAY_TLS,
    host,
    port,
    pskCallback: () => ({ psk: key, identity: RELAY_IDENTITY }),
    checkServerIdentity: () => undefined, // the key is the proof; there is no certificate
  })
  socket.setNoDelay(true)
  socket.on('secureConnect', () => socket.write(encodeFrame({ kind: 'hello', text: holder })))
  socket.on('error', end)
  socket.on('close', () => end(undefined))
  socket.on('data', (piece: Buffer) => {
    heard_at_ms = performance.now()
    try {
      for (const frame of reader.read(piece)) receive(frame)
    } catch (error) {
      end(error instanceof Error ? error : new Error(String(error)))
    }
  })
  // If this process was paused, data that arrived in the meantime is read between the timer and the check.
  const timer = setInterval(() => setImmediate(assertHeard), BEAT_MS)

  const silence_ms = () => performance.now() - heard_at_ms

  function assertHeard(): void {
    if (silence_ms() > SILENCE_MS) end(new Error('the other node fell silent'))
  }

  function receive({ kind, batch, text }: RelayFrame): void {
    if (kind === 'beat' && state === 'opening') state = 'ready'
    if (kind === 'leaving') leave()
    if (kind !== 'committed' && kind !== 'failed') return
    const caller = waiting.get(batch)
    waiting.delete(batch)
    if (kind === 'committed') caller?.resolve(text)
    else caller?.reject(new UnansweredBatch(text))
    if (state === 'leaving' && waiting.size === 0) socket.end()
  }

  function end(cause: Error | undefined): void {
    if (state === 'ended') return
    const wasLeaving = state === 'leaving'
    state = 'ended'
    clearInterval(timer)
    clearTimeout(leaving)
    socket.destroy()
    for (const { reject } of waiting.values())
      reject(new UnansweredBatch('the node that writes for all did not answer', { cause }))
    waiting.clear()
    onEnd(wasLeaving ? undefined : (cause ?? new Error('the other node ended the connection')))
  }

  function leave(): void {
    if (state === 'ended' || state === 'leaving') return
    const wasOpening = state === 'opening'
    state = 'leaving'
    if (wasOpening) end(undefined)
    else {
      leaving = setTimeout(() => setImmediate(end, undefined), LAST_ANSWERS_MS)
      if (waiting.size === 0) socket.end()
    }
  }

  return {
    holder,
    isReady: () => state === 'ready' && silence_ms() < DOUBT_MS,
    hasEnded: () => state === 'ended',
    send({ weight, now_ms, commands }) {
      // A UTF-16 code unit takes at most three bytes.
      if (state !== 'ready' || commands.length * 3 > MOST_FRAME_BYTES) return undefined
      sent = (sent + 1) >>> 0
      const batch = sent
      const answer = new Promise<string>((resolve, reject) => waiting.set(batch, { resolve, reject }))
      socket.write(encodeFrame({ kind: 'batch', batch, weight, now_ms, text: commands }))
      return answer
    },
    leave,
  }
}
