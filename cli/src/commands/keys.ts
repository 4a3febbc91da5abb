import type { Command } from 'commander'
import { addCallCommand, type ResponseOf } from '../client/call-command.ts'
import { keeping } from '../client/private-file.ts'
import { callingCommand } from '../client/running.ts'
import type { CommandInput } from '../client/schema-options.ts'
import { facts } from '../terminal/facts.ts'
import type { Screen } from '../terminal/screen.ts'
import { moment } from '../terminal/words.ts'
import { pageTable } from './page.ts'

type NewKey = ResponseOf<'createKey'>

/** `deputy keys`: lists, creates, rotates and deletes API keys. */
export function addKeysCommand(program: Command): void {
  const keys = callingCommand(program, 'keys', 'list, create, rotate and delete API keys')
  addCallCommand(keys, { name: 'list', operation: 'listKeys', say: keyTable, isDefault: true })
  withSaving(
    addCallCommand(keys, { name: 'create', operation: 'createKey', say: newKeyFacts, around: aroundKey }),
  )
  withSaving(
    addCallCommand(keys, {
      name: 'rotate',
      operation: 'rotateKey',
      args: ['key_id'],
      say: newKeyFacts,
      around: aroundKey,
    }),
  )
  addCallCommand(keys, {
    name: 'delete',
    operation: 'deleteKey',
    args: ['key_id'],
    say: deletedFacts,
  })
}

export function deletedFacts({
  key_id,
  disabled_webhooks,
  kept_streams,
}: Omit<ResponseOf<'deleteKey'>, 'deleted'>): string {
  return [
    `${key_id}\ndeleted\n`,
    listed(
      'Webhooks that it created or turned to another address are disabled:',
      disabled_webhooks,
      'Check their addresses. To resume one where it stopped: deputy webhooks enable WEBHOOK_ID',
    ),
    listed(
      'Streams of signals that it created are still pushed:',
      kept_streams,
      'To delete one that you do not recognize: deputy streams delete STREAM_ID',
    ),
  ].join('')
}

/** Empty if there is nothing to list. */
function listed(title: string, ids: readonly string[], advice: string): string {
  return ids.length === 0 ? '' : `\n${[title, ...ids.map((id) => `  ${id}`), advice].join('\n')}\n`
}

function withSaving(command: Command): void {
  command.option(
    '--save-key <file>',
    'save the key to this new file instead of printing it, for --api-key-file',
  )
}

function aroundKey(
  { saveKey }: CommandInput,
  call: (more: CommandInput) => Promise<NewKey>,
): Promise<NewKey> {
  return keeping(
    typeof saveKey === 'string' ? saveKey : undefined,
    () => call({}),
    ({ key }) => key,
  )
}

function newKeyFacts(answer: NewKey, _screen: Screen, { saveKey }: CommandInput): string {
  return facts([
    ['key', typeof saveKey === 'string' ? `in ${saveKey}` : answer.key],
    ['id', answer.key_id],
    ['name', answer.name],
    ['role', answer.role],
    ['tenant', answer.tenant_id],
    ['audience', answer.audience],
    ['expires', moment(answer.expires_at)],
  ])
}

function keyTable(answer: ResponseOf<'listKeys'>, screen: Screen): string {
  return pageTable(answer, 'keys', screen, [
    { title: 'id', cell: ({ key_id }) => key_id, whole: true },
    { title: 'role', cell: ({ role }) => role, whole: true },
    { title: 'tenant', cell: ({ tenant_id }) => tenant_id },
    { title: 'name', cell: ({ name }) => name },
    { title: 'expires', cell: ({ expires_at }) => moment(expires_at), whole: true },
  ])
}
