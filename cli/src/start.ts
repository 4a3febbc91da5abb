import type { Command } from 'commander'
import { addHelpParagraph } from './help-layout.ts'

export function addStartCommand(program: Command): void {
  const start = program
    .command('start')
    .summary('run the service')
    .description('run the service, on a data directory or as a node on DEPUTY_DATABASE_URL')
    .option('-p, --port <number>', 'port to listen on (PORT; default: 8420)')
    .option(
      '--host <address>',
      'address to listen on; any but loopback requires keyed mode (HOST; default: 127.0.0.1)',
    )
    .option(
      '-d, --data <directory>',
      'directory for the store and the keys (DEPUTY_DATA_DIR; default: ./data)',
    )
    .option(
      '--log-level <level>',
      'fatal, error, warn, info, debug, trace or silent (DEPUTY_LOG_LEVEL; default: warn)',
    )
    .action(async (options: StartOptions) => {
      // Loaded on demand: the service is large, and most commands don't need it.
      const { main } = await import('@deputize/server')
      await main({ ...process.env, ...startSettings(options) })
    })
  addHelpParagraph(start, 'Flags override the environment variables in parentheses.')
  addHelpParagraph(
    start,
    'Exit codes: 0 stopped by a signal, 2 unknown options, 70 failed or the database is away, 78 the settings or the data prevent the start.',
  )
}

interface StartOptions {
  port?: string
  host?: string
  data?: string
  logLevel?: string
}

/** The given options, under the names of their environment variables. */
function startSettings({ port, host, data, logLevel }: StartOptions): Record<string, string> {
  return {
    ...(port !== undefined && { PORT: port }),
    ...(host !== undefined && { HOST: host }),
    ...(data !== undefined && { DEPUTY_DATA_DIR: data }),
    ...(logLevel !== undefined && { DEPUTY_LOG_LEVEL: logLevel }),
  }
}
