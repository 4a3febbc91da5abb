import { main, VERSION } from '@deputy/server'
import { Command } from 'commander'
import { addDatabaseCommands } from './database/commands.ts'
import { addWitnessCommand } from './witness/command.ts'

const program = new Command('deputy')
  .description('A verified human lets an AI agent act in their name, within limits, and stays accountable.')
  .version(VERSION)
  .showHelpAfterError('Run deputy --help to see what there is.')

program
  .command('start')
  .description('run the service, on its embedded store or as a node on DEPUTY_DATABASE_URL')
  .option('-p, --port <number>', 'port to listen on (PORT, 8420)')
  .option('--host <address>', 'loopback address to listen on (HOST, 127.0.0.1)')
  .option('-d, --data <directory>', 'where the store and the keys are kept (DEPUTY_DATA_DIR, ./data)')
  .option('--log-level <level>', 'fatal, error, warn, info, debug, trace or silent (DEPUTY_LOG_LEVEL, warn)')
  .addHelpText('after', '\nOptions win over the environment variables in brackets.')
  .action(async (options: StartOptions) => {
    await main({ ...process.env, ...settingsOf(options) })
  })

addWitnessCommand(program)
addDatabaseCommands(program)

interface StartOptions {
  port?: string
  host?: string
  data?: string
  logLevel?: string
}

/** The options under the names that the service knows, without those that were not given. */
function settingsOf({ port, host, data, logLevel }: StartOptions): Record<string, string> {
  return {
    ...(port !== undefined && { PORT: port }),
    ...(host !== undefined && { HOST: host }),
    ...(data !== undefined && { DEPUTY_DATA_DIR: data }),
    ...(logLevel !== undefined && { DEPUTY_LOG_LEVEL: logLevel }),
  }
}

await program.parseAsync()
