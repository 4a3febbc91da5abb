import { OPERATIONS, type Operation } from '@deputize/protocol'
import type { Deputy, Download, OperationId } from '@deputize/sdk'
import type { Command } from 'commander'
import { EXIT } from '../exit-codes.ts'
import { addHelpParagraph } from '../help-layout.ts'
import { print } from './call-command.ts'
import { connect } from './connection.ts'
import { addConnectionOptions, type ConnectionOptions } from './connection-options.ts'
import { callingCommand, running } from './running.ts'
import { type SavedFile, saveDownload } from './save-download.ts'
import { type CommandInput, type Offer, offerMembers } from './schema-options.ts'

/** A command that downloads one file. */
export interface DownloadCommand<Saved extends SavedFile> extends Offer {
  readonly name: string
  readonly summary: string
  /** A paragraph of the help page. */
  readonly help: string
  readonly operation: OperationId
  readonly download: (client: Deputy, input: CommandInput) => Promise<Download>
  /** The name of the file, if neither the user nor the service gives one. */
  readonly otherwise: string
  /** Permissions of the file. */
  readonly mode: number
  /** Reads facts from the written file. Throws if it is incomplete. */
  readonly read: (saved: SavedFile) => Promise<Saved>
  /** The saved file as text. */
  readonly say: (saved: Saved) => string
}

interface DownloadOptions extends ConnectionOptions {
  readonly out?: string
}

/** Adds a command whose arguments and options come from the row of its operation, and which writes the answer to a file. */
export function addDownloadCommand<Saved extends SavedFile>(
  parent: Command,
  { name, summary, help, operation, download, otherwise, mode, read, say, ...offer }: DownloadCommand<Saved>,
): void {
  const row: Operation = OPERATIONS[operation]
  const command = callingCommand(parent, name, summary)
  addHelpParagraph(command, help)
  const readInput = offerMembers(command, row, offer)
  command.option('--out <file>', 'file to write (default: the name that the service gives it)')
  addConnectionOptions(command)
  command.action((...typed: unknown[]) => {
    const options = command.opts<DownloadOptions & CommandInput>()
    return running(options, async () => {
      const { client } = await connect(options)
      const answer = await download(client, readInput(typed, options))
      const saved = await read(await saveDownload(answer, { out: options.out, otherwise, mode }))
      print(options, saved, () => say(saved))
      return EXIT.done
    })
  })
}
