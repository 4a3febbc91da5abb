import type { Command } from 'commander'
import { addHelpParagraph } from '../help-layout.ts'
import type { WitnessOptions } from './settings.ts'

/** `deputy witness`: cosigns the checkpoints of other logs. */
export function addWitnessCommand(program: Command): void {
  const witness = program
    .command('witness')
    .summary('cosign the checkpoints of logs that only grow')
    .description('watch logs and cosign their checkpoints as long as they only grow')
    .requiredOption('-n, --name <name>', 'permanent name of this witness, such as witness.example/w1')
    .option('-l, --log <vkey>', 'key of a log to watch (repeatable)', collectLogs)
    .option('-d, --data <directory>', 'directory for the key and the cosigned checkpoints', './witness')
    .option('-p, --port <number>', 'port to listen on', '8421')
    .option('--host <address>', 'address to listen on; 0.0.0.0 for all interfaces', '127.0.0.1')
    .action(async (options: WitnessOptions) => {
      const { runWitness } = await import('./run-witness.ts')
      await runWitness(options)
    })
  addHelpParagraph(
    witness,
    'Exit codes: 0 stopped by a signal, 2 unknown or missing options, 70 failed, 78 cannot start with these options or this directory.',
  )
}

function collectLogs(value: string, given: readonly string[] = []): string[] {
  return [...given, value]
}
