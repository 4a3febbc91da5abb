import type { Command } from 'commander'
import { addCallCommand, type ResponseOf } from '../client/call-command.ts'
import { callingCommand } from '../client/running.ts'
import { facts } from '../terminal/facts.ts'
import type { Screen } from '../terminal/screen.ts'
import { table } from '../terminal/table.ts'
import { moment } from '../terminal/words.ts'

/** `deputy signing-keys`: lists, rotates and withdraws the keys of the service. */
export function addSigningKeysCommand(program: Command): void {
  const keys = callingCommand(program, 'signing-keys', 'list, rotate and withdraw the signing keys')
  addCallCommand(keys, { name: 'list', operation: 'listSigningKeys', say: keyTable, isDefault: true })
  addCallCommand(keys, {
    name: 'rotate',
    operation: 'rotateSigningKey',
    say: ({ kid }) => `${kid}\nsigns tokens now\n`,
  })
  addCallCommand(keys, {
    name: 'withdraw',
    operation: 'withdrawSigningKey',
    args: ['kid'],
    say: withdrawal,
  })
}

function keyTable({ data }: ResponseOf<'listSigningKeys'>, screen: Screen): string {
  return table(
    [
      { title: 'kid', cell: ({ kid }) => kid, whole: true },
      { title: 'purpose', cell: ({ purpose }) => purpose, whole: true },
      { title: 'status', cell: ({ status }) => status, whole: true },
      { title: 'created', cell: ({ created_at }) => moment(created_at), whole: true },
    ],
    data,
    screen,
  )
}

function withdrawal(answer: ResponseOf<'withdrawSigningKey'>): string {
  return facts([
    ['withdrawn', answer.kid],
    ['void from', moment(answer.withdrawn_from)],
    ['signs now', answer.active_kid],
    ['tokens revoked', String(answer.revoked_count)],
  ])
}
