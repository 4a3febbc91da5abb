import { randomUUID } from 'node:crypto'
import { existsSync, lchownSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { AuthorityError } from '@deputize/protocol'
import { ExpectedFailure } from '../expected-failure.ts'
import { writeDurably } from '../keys/write-durably.ts'
import { isOutOfSpace, openReserve } from '../store/sqlite/reserve.ts'
import { readStopOrder, type StopOrder, type StopReport } from './stop-order.ts'

const FOLDER = 'stop-requests'
const ORDER = '.order'
const ANSWER = '.answer'
const LOOK_EVERY_MS = 250
const WAIT_MS = 15_000

type StopAnswer = { readonly report: StopReport } | { readonly refusal: { code: string; detail: string } }

/**
 * Carries out orders that appear in the data directory. Only files are needed, so an operator can stop an agent while
 * nothing reaches the service over HTTP. A user who can write here can also read the signing keys, so no credential is
 * required.
 */
export function watchStopRequests(
  data_dir: string,
  carryOut: (order: StopOrder) => Promise<StopReport>,
  onTrouble: (cause: unknown, what: string) => void,
): { close(): void } {
  const folder = join(data_dir, FOLDER)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const under_way = new Set<string>()

  async function answer(name: string): Promise<void> {
    const file = join(folder, name)
    // A crash before the order is deleted leaves it to the next start. Carrying it out again changes nothing.
    writeAnswer(file.slice(0, -ORDER.length), await answerTo(file, carryOut))
    rmSync(file, { force: true })
  }

  function look(): void {
    for (const name of ordersIn(folder)) {
      if (under_way.has(name)) continue
      under_way.add(name)
      answer(name)
        .catch((cause) => onTrouble(cause, 'stop order not carried out: it will be retried'))
        .finally(() => under_way.delete(name))
    }
  }

  const timer = setInterval(() => {
    try {
      look()
    } catch (cause) {
      onTrouble(cause, 'orders of deputy stop cannot be read: reading them will be retried')
    }
  }, LOOK_EVERY_MS)
  return { close: () => clearInterval(timer) }
}

function ordersIn(folder: string): string[] {
  return readdirSync(folder).filter((name) => name.endsWith(ORDER))
}

async function answerTo(
  file: string,
  carryOut: (order: StopOrder) => Promise<StopReport>,
): Promise<StopAnswer> {
  try {
    return { report: await carryOut(readStopOrder(readFileSync(file, 'utf8'))) }
  } catch (error) {
    // An unavailable store may come back: the order stays, and is retried.
    if (!(error instanceof AuthorityError) || error.code.startsWith('storage_')) throw error
    return { refusal: { code: error.code, detail: error.message } }
  }
}

/** Writes the answer, except on a full disk. The order is still carried out, and its file disappears. */
function writeAnswer(name: string, answer: StopAnswer): void {
  try {
    writeDurably(`${name}${ANSWER}`, JSON.stringify(answer))
  } catch (error) {
    if (!isOutOfSpace(error)) throw error
    rmSync(`${name}${ANSWER}`, { force: true })
    rmSync(`${name}${ANSWER}.new`, { force: true })
  }
}

/** Leaves an order for the service that uses the directory. Without an answer, withdraws it and returns undefined. */
export async function requestStop(data_dir: string, order: StopOrder): Promise<StopReport | undefined> {
  const name = join(data_dir, FOLDER, randomUUID())
  writeOrder(data_dir, `${name}${ORDER}`, order)
  const end = performance.now() + WAIT_MS
  while (existsSync(`${name}${ORDER}`) && performance.now() < end) await sleep(LOOK_EVERY_MS / 5)
  if (existsSync(`${name}${ORDER}`)) {
    rmSync(`${name}${ORDER}`, { force: true })
    return undefined
  }
  return takeAnswer(`${name}${ANSWER}`)
}

/** Writes an order. On a full disk, it uses the space that is reserved for stopping. */
function writeOrder(data_dir: string, file: string, order: StopOrder): void {
  const text = JSON.stringify(order)
  try {
    writeDurably(file, text)
  } catch (error) {
    rmSync(`${file}.new`, { force: true })
    if (!isOutOfSpace(error) || !openReserve(join(data_dir, 'reserve')).release()) throw error
    writeDurably(file, text)
  }
  handOver(file, join(data_dir, FOLDER))
}

/** Gives an order of root to the folder's owner: the service may run as another user, who couldn't read it. */
function handOver(file: string, folder: string): void {
  const { uid, gid } = statSync(folder)
  if (process.getuid?.() === 0 && uid !== 0) lchownSync(file, uid, gid) // never follows a link of that user
}

function takeAnswer(file: string): StopReport {
  if (!existsSync(file))
    throw new StopFailed(
      'The service took the order, but could not write its answer because the disk is full. Free space, then repeat the command to see the result: stopping again changes nothing.',
      true,
    )
  const answer: StopAnswer = JSON.parse(readFileSync(file, 'utf8'))
  rmSync(file, { force: true })
  if ('report' in answer) return answer.report
  throw new StopRefused(answer.refusal.code, answer.refusal.detail)
}

/** Nothing is known to be stopped: there is no deployment, or the service that uses it does not react or answer. */
export class StopFailed extends ExpectedFailure {
  override readonly name = 'StopFailed'
  /** Whether a process uses the deployment and does not react, or could not answer. */
  readonly is_unreachable: boolean

  constructor(message: string, is_unreachable = false) {
    super(message)
    this.is_unreachable = is_unreachable
  }
}

/** The order was refused, for instance because its target doesn't exist. */
export class StopRefused extends Error {
  override readonly name = 'StopRefused'
  readonly code: string

  constructor(code: string, detail: string) {
    super(detail)
    this.code = code
  }
}
