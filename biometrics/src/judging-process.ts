/**
 * A judging process: decodes media, runs the nets and answers with evidence. Started by `pool/start-process.ts` without
 * standard streams, so nothing from the media can reach a log.
 */
import { type Analyser, openAnalyser } from './analyse-step.ts'
import { EngineError } from './contract.ts'
import { decodedStep, wipe } from './pool/decoded-step.ts'
import type { FromProcess, ToProcess } from './pool/protocol.ts'

let analyser: Analyser | undefined

process.on('message', (message: ToProcess) => void receive(message))
process.on('disconnect', () => process.exit(0))

async function receive(message: ToProcess): Promise<void> {
  if ('open' in message) return open(message.open)
  if (analyser === undefined) return end(message.id, new Error('not opened'))
  await analyse(analyser, message)
}

async function open({
  pack_directory,
  operator_nets,
}: Extract<ToProcess, { readonly open: object }>['open']): Promise<void> {
  try {
    analyser = await openAnalyser(pack_directory, operator_nets)
    send({ opened: true })
  } catch (error) {
    // No media has been seen yet, so the text cannot hold any.
    send({ not_opened: error instanceof Error ? error.message : String(error) })
  }
}

async function analyse(
  ready: Analyser,
  { id, request }: Extract<ToProcess, { readonly id: number }>,
): Promise<void> {
  try {
    const step = decodedStep(request)
    try {
      send({ id, evidence: await ready.analyse(step), memory_bytes: process.memoryUsage.rss() })
    } finally {
      wipe(step.media)
    }
  } catch (error) {
    if (!(error instanceof EngineError)) return end(id, error)
    const { code, message, pointer } = error
    send({ id, failure: { code, message, pointer }, memory_bytes: process.memoryUsage.rss() })
  }
}

/**
 * Ends the process, because its state is unknown after a bug. Reports where the bug is, never the text of the error.
 */
function end(id: number, error: unknown): void {
  const where = error instanceof Error ? firstFrame(error) : 'unknown'
  process.send?.({ id, bug: where } satisfies FromProcess, () => process.exit(1))
}

function firstFrame({ name, stack = '' }: Error): string {
  const [, place = 'unknown'] = /([\w.-]+\/[\w.-]+:\d+):\d+\)?$/m.exec(stack) ?? []
  return `${name} at ${place}`
}

function send(message: FromProcess): void {
  process.send?.(message)
}
