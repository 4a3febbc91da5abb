import type { Needs } from '../store/port.ts'
import type { Command, SingleCommand } from './command.ts'
import { authorize, recordAction } from './judges/ask.ts'
import { cancel, complete, sweep } from './judges/close.ts'
import { issue } from './judges/issue.ts'
import { rate } from './judges/rate.ts'
import { revoke } from './judges/revoke.ts'
import type { Ledger } from './ledger.ts'

/** Judges one command against the ledger. Refuses by throwing an AuthorityError, always before the first change. */
export function judge(command: SingleCommand, ledger: Ledger): unknown {
  switch (command.kind) {
    case 'record_action':
      return recordAction(command, ledger)
    case 'authorize':
      return authorize(command, ledger)
    case 'complete':
      return complete(command, ledger)
    case 'cancel':
      return cancel(command, ledger)
    case 'rate':
      return rate(command, ledger)
    case 'issue':
      return issue(command, ledger)
    case 'revoke':
      return revoke(command, ledger)
    case 'sweep':
      return sweep(command, ledger)
    case 'probe':
      return ledger.probe()
  }
}

/** Names what the commands will look at. */
export function needsOf(commands: readonly Command[]): Needs {
  const needs: Needs = { tokens: new Set(), records: new Set(), replays: new Set(), overdue: 0 }
  for (const command of commands) addNeeds(command, needs)
  return needs
}

function addNeeds(command: Command, needs: Needs): void {
  if (command.replay !== undefined) needs.replays.add(command.replay.key)
  switch (command.kind) {
    case 'many':
      for (const item of command.items) addNeeds(item, needs)
      return
    case 'record_action':
    case 'authorize':
      needs.tokens.add(command.vat_jti)
      if (command.parent_aar_id !== undefined) needs.records.add(command.parent_aar_id)
      return
    case 'complete':
    case 'cancel':
    case 'rate':
      needs.records.add(command.aar_id)
      return
    case 'revoke':
      needs.tokens.add(command.vat_jti)
      return
    case 'sweep':
      needs.overdue = Math.max(needs.overdue, command.limit)
      return
    case 'issue':
    case 'probe':
      return
  }
}
