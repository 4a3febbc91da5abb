import type { Command } from 'commander'
import type { GivenOptions } from './settings.ts'

export function addWitnessCommand(program: Command): void {
  program
    .command('witness')
    .description('watch the logs of others: cosign their checkpoints while they only grow')
    .requiredOption('-n, --name <name>', 'name of this witness, for ever, such as witness.example/w1')
    .option('-l, --log <vkey>', 'key of a log to watch; may be given again for more', collect, [])
    .option('-d, --data <directory>', 'where the key and what was seen are kept', './witness')
    .option('-p, --port <number>', 'port to listen on', '8421')
    .option('--host <address>', 'address to listen on; 0.0.0.0 for all of this machine', '127.0.0.1')
    .action(async (options: GivenOptions) => {
      const { runWitness } = await import('./run-witness.ts')
      await runWitness(options)
    })
}

function collect(value: string, given: readonly string[]): string[] {
  return [...given, value]
}
