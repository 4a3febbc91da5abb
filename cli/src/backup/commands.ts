import type { Command } from 'commander'
import { addHelpParagraph } from '../help-layout.ts'
import type { BackupCommandOptions } from './run-backup.ts'
import type { RestoreCommandOptions } from './run-restore.ts'

const MASTER_KEY =
  'the master key that encrypts its keys (DEPUTY_MASTER_KEY_FILE; default: master.key in the data directory)'

/** `deputy backup`: writes a deployment to one encrypted file. */
export function addBackupCommand(program: Command): void {
  const command = program
    .command('backup')
    .summary('back up a deployment into one encrypted, checked file')
    .description('back up a deployment into one encrypted file, while the service runs, and check the file')
    .option('-d, --data <directory>', 'data directory (DEPUTY_DATA_DIR; default: ./data)')
    .option('--database <url>', 'a shared PostgreSQL database (DEPUTY_DATABASE_URL)')
    .option('--master-key <file>', MASTER_KEY)
    .option(
      '-c, --checkpoint <file>',
      'the last signed checkpoint (DEPUTY_CHECKPOINT_FILE; default: checkpoint in the data directory)',
    )
    .requiredOption('--to <file>', 'the file to write; it must not exist')
    .option('--scratch <directory>', 'where to restore the backup for its check (default: next to the file)')
    .option('--no-check', 'read the file back, but do not check its content')
    .option('--json', 'print the result as JSON')
    .action(async (options: BackupCommandOptions) => {
      // Loaded on demand: it needs most of the server.
      const { runBackup } = await import('./run-backup.ts')
      process.exitCode = await runBackup(options, process.env)
    })
  addHelpParagraph(
    command,
    'Encrypts everything with DEPUTY_BACKUP_PASSPHRASE. The file gets its name only after it has been read back, restored and checked.',
  )
  addHelpParagraph(
    command,
    'Exit codes: 0 done, 1 the data has faults, 2 invalid options, 78 cannot be backed up there.',
  )
}

/** `deputy restore`: restores a deployment from its backup. */
export function addRestoreCommand(program: Command): void {
  const command = program
    .command('restore')
    .summary('restore a backup into an empty directory or database')
    .description('restore a backup into an empty data directory or an empty PostgreSQL database')
    .requiredOption('--from <file>', 'the backup')
    .option('-d, --data <directory>', 'an empty data directory (DEPUTY_DATA_DIR; default: ./data)')
    .option('--database <url>', 'an empty PostgreSQL database (DEPUTY_DATABASE_URL)')
    .option(
      '--master-key <file>',
      'the master key that encrypts its keys (DEPUTY_MASTER_KEY_FILE; default: master.key in the data directory, which is created)',
    )
    .option(
      '-c, --checkpoint <file>',
      'where to keep the signed checkpoint (DEPUTY_CHECKPOINT_FILE; default: checkpoint in the data directory)',
    )
    .option(
      '--newest <file or URL...>',
      'the newest checkpoint that was published: a file, or the address of a witness',
    )
    .option('--accept-loss', 'restore although published log entries are lost')
    .option(
      '--events <file>',
      're-apply revocations from events of the lost deployment, one JSON object per line',
    )
    .option('--json', 'print the result as JSON')
    .action(async (options: RestoreCommandOptions) => {
      const { runRestore } = await import('./run-restore.ts')
      process.exitCode = await runRestore(options, process.env)
    })
  addHelpParagraph(
    command,
    'The log continues under its name only if --newest shows that the backup covers everything that was published. Otherwise a new log begins, with the same entries: one log must never have two histories.',
  )
  addHelpParagraph(
    command,
    'Exit codes: 0 done, 1 the restored data has faults, 2 invalid options, 4 entries would be lost, 78 cannot be restored there.',
  )
}
