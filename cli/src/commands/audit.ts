import type { Command } from 'commander'
import { addCallCommand, type ResponseOf } from '../client/call-command.ts'
import { addDownloadCommand } from '../client/download-command.ts'
import { callingCommand } from '../client/running.ts'
import { facts } from '../terminal/facts.ts'
import { count, moment } from '../terminal/words.ts'

type AuditPreview = ResponseOf<'previewAuditPack'>

/** `deputy audit`: one archive for an auditor, and what it would contain. */
export function addAuditCommand(program: Command): void {
  const audit = callingCommand(program, 'audit', 'make an audit pack: one archive to check offline')
  addCallCommand(audit, { name: 'preview', operation: 'previewAuditPack', say: previewFacts })
  addDownloadCommand(audit, {
    name: 'pack',
    summary: 'download an audit pack',
    help: 'Check it with deputy verify. Anyone can, without the service.',
    operation: 'exportAuditPack',
    download: (client, input) => client.exportAuditPack(input),
    otherwise: 'audit-pack.zip',
    mode: 0o666,
    read: async (saved) => saved,
    say: ({ file, bytes }) => `${file}  ${bytes} bytes\nCheck it: deputy verify ${file}\n`,
  })
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
