/** A TCP proxy that delays every byte, started by `distance-bench.ts` with the port to lead to and the delay in milliseconds. */
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

const [port = 0, delay_ms = 0] = process.argv.slice(2).map(Number)

interface Waiting {
  readonly due_ms: number
  /** Undefined: the end. */
  readonly bytes: Buffer | undefined
}

/** Timers wait at least a millisecond and often one too long. The rest of a wait is spent in turns of the event loop. */
const TIMER_MS = 1.2

function carry(from: Socket, to: Socket): void {
  const waiting: Waiting[] = []
  let isScheduled = false

  function schedule(): void {
    const [first] = waiting
    if (isScheduled || first === undefined) return
    isScheduled = true
    const left_ms = first.due_ms - performance.now()
    if (left_ms > TIMER_MS) setTimeout(deliver, left_ms - 1)
    else setImmediate(deliver)
  }

  function deliver(): void {
    isScheduled = false
    const now_ms = performance.now()
    for (let [first] = waiting; first !== undefined && first.due_ms <= now_ms; [first] = waiting) {
      waiting.shift()
      if (first.bytes === undefined) to.destroy()
      else to.write(first.bytes)
    }
    schedule()
  }

  function take(bytes: Buffer | undefined): void {
    waiting.push({ due_ms: performance.now() + delay_ms, bytes })
    schedule()
  }

  from.setNoDelay(true)
  from.on('data', take)
  from.on('close', () => take(undefined))
  from.on('error', () => {})
}

const server = createServer((near) => {
  const far = connect(port, '127.0.0.1')
  carry(near, far)
  carry(far, near)
})
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port)) // a TCP server has such an address
process.on('disconnect', () => process.exit())
