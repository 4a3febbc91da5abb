import { createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { OPERATIONS } from '@deputize/protocol'
import type { Deputy } from '@deputize/sdk'
import type { Command } from 'commander'
import { addCallCommand, print, type ResponseOf } from '../client/call-command.ts'
import { connect } from '../client/connection.ts'
import { addConnectionOptions, type ConnectionOptions } from '../client/connection-options.ts'
import { UsageError } from '../client/exit.ts'
import { callingCommand, running } from '../client/running.ts'
import { type CommandInput, offerMembers } from '../client/schema-options.ts'
import { EXIT } from '../exit-codes.ts'
import { addHelpParagraph } from '../help-layout.ts'
import { errorText } from '../start-problems.ts'
import { facts } from '../terminal/facts.ts'
import { progressLine } from '../terminal/progress-line.ts'
import { count, moment } from '../terminal/words.ts'

type AuditPreview = ResponseOf<'previewAuditPack'>

/** `deputy audit`: one archive for an auditor, and what it would contain. */
export function addAuditCommand(program: Command): void {
  const audit = callingCommand(program, 'audit', 'make an audit pack: one archive to check offline')
  addCallCommand(audit, { name: 'preview', operation: 'previewAuditPack', say: previewFacts })
  addPackCommand(audit)
}

function previewFacts(preview: AuditPreview): string {
  const { workflows, records, denials, approvals, tokens, is_at_least, fits, first_at, last_at } = preview
  const more = is_at_least ? ' or more' : ''
  const lines = facts([
    ['workflows', `${workflows}${workflows === 0 && is_at_least ? more : ''}`],
    ['actions', `${records}${more}`],
    ['denials', `${denials}${more}`],
    ['approvals', `${approvals}${more}`],
    ['tokens', `${tokens}${more}`],
    ['began', first_at === undefined ? undefined : moment(first_at)],
    ['last action', last_at === undefined ? undefined : moment(last_at)],
  ])
  return `${lines}${fits ? '' : `${unfit(preview)}\n`}`
}

function unfit({ workflows, is_at_least, max_workflows, max_entries }: AuditPreview): string {
  if (workflows === 0 && !is_at_least) return 'Nothing fits. Choose another time or other agents.'
  const most = `${count(max_workflows, 'workflow')} and ${max_entries} entries`
  return `Too large for one pack (at most ${most}). Choose a shorter time or fewer agents.`
}

interface PackOptions extends ConnectionOptions {
  readonly out?: string
}

function addPackCommand(audit: Command): void {
  const command = callingCommand(audit, 'pack', 'download an audit pack')
  addHelpParagraph(command, 'Check it with deputy verify. Anyone can, without the service.')
  const readInput = offerMembers(command, OPERATIONS.exportAuditPack, {})
  command.option('--out <file>', 'file to write (default: the name that the service gives it)')
  addConnectionOptions(command)
  command.action((...typed: unknown[]) => {
    const options = command.opts<PackOptions & CommandInput>()
    return running(options, async () => {
      const { client } = await connect(options)
      const saved = await savePack(client, readInput(typed, options), options.out)
      print(
        options,
        saved,
        () => `${saved.file}  ${saved.bytes} bytes\nCheck it: deputy verify ${saved.file}\n`,
      )
      return EXIT.done
    })
  })
}

/** Writes the archive to a new file. A download that breaks leaves no file. */
async function savePack(
  client: Deputy,
  input: CommandInput,
  out: string | undefined,
): Promise<{ readonly file: string; readonly bytes: number }> {
  const { body, file_name } = await client.exportAuditPack(input)
  const file = out ?? file_name ?? 'audit-pack.zip'
  const line = progressLine(process.stderr)
  let bytes = 0
  async function* counted(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      bytes += chunk.length
      line.show(`${(bytes / 1e6).toFixed(1)} MB`)
      yield chunk
    }
  }
  const target = createWriteStream(file, { flags: 'wx' })
  const opened = new Promise((resolve, reject) => target.once('open', resolve).once('error', reject))
  await opened.catch((error: unknown) => {
    throw new UsageError(`${file} cannot be created: ${errorText(error)}`)
  })
  try {
    await pipeline(body, counted, target)
  } catch (error) {
    await rm(file, { force: true })
    throw error
  } finally {
    line.clear()
  }
  return { file, bytes }
}
