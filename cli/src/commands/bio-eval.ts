import { availableParallelism } from 'node:os'
import { join, resolve } from 'node:path'
import type { EngineEvent, Evaluation, Rate, SpeciesRates } from '@deputize/biometrics'
import type { Command } from 'commander'
import { UsageError } from '../client/exit.ts'
import { running } from '../client/running.ts'
import { EXIT, type ExitCode } from '../exit-codes.ts'
import { addHelpParagraph } from '../help-layout.ts'
import { progressLine } from '../terminal/progress-line.ts'
import { type Screen, screenOf } from '../terminal/screen.ts'
import { table } from '../terminal/table.ts'

interface BioEvalOptions {
  readonly example?: boolean
  readonly data?: string
  readonly engineDir?: string
  readonly processes?: string
  readonly nets?: string
  readonly json?: boolean
}

/** `deputy bio-eval`: error rates of the verification engine, from labeled captures. */
export function addBioEvalCommand(program: Command): void {
  const command = program
    .command('bio-eval')
    .description('measure the verification engine with labeled captures')
    .argument('<folder>', 'the folder with the captures')
    .option('--example', 'write an example of a capture into the folder, and stop')
    .option('-d, --data <directory>', 'directory with the engine pack (DEPUTY_DATA_DIR; default: ./data)')
    .option('--engine-dir <directory>', 'an engine pack from elsewhere (DEPUTY_ENGINE_DIR)')
    .option('--processes <number>', 'judging processes (default: one fewer than there are cores)')
    .option('--nets <file>', 'the file that declares your own nets (DEPUTY_ENGINE_NETS)')
    .option('--json', 'print the rates, and the result of every capture, as JSON')
    .action((folder: string, options: BioEvalOptions) =>
      running(options, async () => {
        // Loaded on demand: most commands do not need the engine.
        const { EvaluationError, PackError, writeExample } = await import('@deputize/biometrics')
        try {
          if (options.example !== true) return await evaluateFolder(folder, options)
          process.stdout.write(`Wrote ${writeExample(folder)}\n`)
          return EXIT.done
        } catch (error) {
          if (error instanceof EvaluationError || error instanceof PackError)
            throw new UsageError(error.message)
          throw error
        }
      }),
    )
  addHelpParagraph(
    command,
    'Captures stay on this machine. docs/guides/measure-verification.md says how to lay them out.',
  )
}

async function evaluateFolder(folder: string, options: BioEvalOptions): Promise<ExitCode> {
  const { EngineError, evaluateCaptures, openEngine, packSource, readOperatorNets } = await import(
    '@deputize/biometrics'
  )
  const processes = processesOf(options)
  const pack = packSource({
    mode: 'auto',
    root: join(resolve(options.data ?? process.env.DEPUTY_DATA_DIR ?? 'data'), 'engine'),
    copied: options.engineDir ?? process.env.DEPUTY_ENGINE_DIR,
  })
  await pack.install()
  // No caller waits for the results, so the deadline leaves slow machines enough time.
  const nets = options.nets ?? process.env.DEPUTY_ENGINE_NETS
  const operator_nets = nets ? readOperatorNets(resolve(nets)) : []
  let trouble = ''
  const onEvent = (event: EngineEvent) => {
    if (event.kind === 'process' && event.detail !== '') trouble = event.detail
  }
  const engine = openEngine({ pack, processes, operator_nets, deadline_ms: 120_000, onEvent })
  const progress = progressLine(process.stderr)
  try {
    const found = await evaluateCaptures(engine, folder, processes, (done, of) =>
      progress.show(`${done} of ${of} captures`),
    )
    progress.clear()
    const text = options.json ? `${JSON.stringify(found, undefined, 2)}\n` : report(found)
    process.stdout.write(text)
    return EXIT.done
  } catch (error) {
    progress.clear()
    // The service logs why a judging process ends. Here the reason is part of the message.
    if (error instanceof EngineError && trouble !== '') throw new UsageError(`The engine stopped: ${trouble}`)
    throw error
  } finally {
    await engine.close()
  }
}

function processesOf({ processes }: BioEvalOptions): number {
  if (processes === undefined) return Math.max(1, availableParallelism() - 1)
  const number = Number(processes)
  if (Number.isInteger(number) && number >= 1 && number <= 64) return number
  throw new UsageError('--processes must be a number from 1 to 64.')
}

function report(found: Evaluation): string {
  const screen = screenOf(process.stdout, process.env)
  return [
    `${found.captures} captures of ${found.subjects} subjects, engine ${found.engine_version}\n`,
    attackTable(found, screen),
    rateTable(found, screen),
    `${found.notice}\n`,
  ].join('\n')
}

function attackTable({ species, worst_species }: Evaluation, screen: Screen): string {
  if (species.length === 0) return 'No attacks: every capture has the species bona_fide.\n'
  const rows = table<SpeciesRates>(
    [
      { title: 'attack', cell: (row) => row.species },
      { title: 'APCER', cell: ({ apcer }) => rateText(apcer), whole: true },
      { title: 'IAPAR', cell: ({ iapar }) => rateText(iapar), whole: true },
      { title: 'APNRR', cell: ({ apnrr }) => rateText(apnrr), whole: true },
    ],
    species,
    screen,
  )
  const worst = species.find((row) => row.species === worst_species)
  return `${rows}APCER: ${worst ? rateText(worst.apcer) : 'none'} (the highest: ${worst_species})\n`
}

function rateTable({ bpcer, bpnrr, fmr, fnmr }: Evaluation, screen: Screen): string {
  const rows = Object.entries({ BPCER: bpcer, BPNRR: bpnrr, FMR: fmr, FNMR: fnmr })
  return table(
    [
      { title: 'genuine', cell: ([name]) => name, whole: true },
      { title: 'rate', cell: ([, rate]) => rateText(rate), whole: true },
    ],
    rows,
    screen,
  )
}

/** `2.0 % (1 of 50; 0.4 to 10.5 %)` */
function rateText({ events, of, share, low, high }: Rate): string {
  if (share === undefined) return 'none counted'
  return `${percent(share)} % (${events} of ${of}; ${percent(low)} to ${percent(high)} %)`
}

function percent(share: number): string {
  return (share * 100).toFixed(1)
}
