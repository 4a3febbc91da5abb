import type { Command } from 'commander'
import { addCallCommand, type ResponseOf } from '../client/call-command.ts'
import { callingCommand } from '../client/running.ts'
import { facts } from '../terminal/facts.ts'
import type { Screen } from '../terminal/screen.ts'
import { table } from '../terminal/table.ts'
import { agentName, moment } from '../terminal/words.ts'
import { pageTable } from './page.ts'
import { drawScore } from './trust/draw-score.ts'
import { vouchFacts } from './vouch.ts'

/** `deputy trust`: shows scores with their paths, and vouches. */
export function addTrustCommand(program: Command): void {
  const trust = callingCommand(program, 'trust', 'show scores with their paths, change and withdraw vouches')
  addCallCommand(trust, {
    name: 'show',
    operation: 'getVouchScore',
    args: ['subject'],
    without: ['explain'],
    say: drawScore,
    around: (_, call) => call({ explain: '1' }),
  })
  addCallCommand(trust, { name: 'vouches', operation: 'listVouches', say: vouchTable })
  addCallCommand(trust, { name: 'withdraw', operation: 'withdrawVouch', args: ['vouch_id'], say: vouchFacts })
  addCallCommand(trust, { name: 'change', operation: 'updateVouch', args: ['vouch_id'], say: vouchFacts })
  addCallCommand(trust, { name: 'ranking', operation: 'rankByVouches', say: rankingTable })
  addCallCommand(trust, { name: 'anchor', operation: 'nameAnchor', args: ['human_ref'], say: anchorFacts })
  addCallCommand(trust, { name: 'anchors', operation: 'listAnchors', say: anchorTable })
  addCallCommand(trust, {
    name: 'remove-anchor',
    operation: 'removeAnchor',
    args: ['human_ref'],
    say: removed,
  })
}

function vouchTable(answer: ResponseOf<'listVouches'>, screen: Screen): string {
  return pageTable(answer, 'vouches', screen, [
    { title: 'vouch', cell: ({ vouch_id }) => vouch_id, whole: true },
    { title: 'for', cell: ({ to }) => to },
    { title: 'weight', cell: ({ weight }) => String(weight), whole: true },
    { title: 'context', cell: ({ context = '' }) => context },
    { title: 'state', cell: ({ standing }) => (standing ? 'counts' : 'ended'), whole: true },
  ])
}

function rankingTable({ data, as_of }: ResponseOf<'rankByVouches'>, screen: Screen): string {
  if (data.length === 0) return 'no vouches for agents\n'
  const rows = table(
    [
      { title: 'agent', cell: ({ agent_id }) => agentName(agent_id) },
      { title: 'score', cell: ({ score }) => score.toFixed(6), whole: true },
      { title: 'flow', cell: ({ flow }) => flow.toFixed(6), whole: true },
    ],
    data,
    screen,
  )
  return `${rows}Computed from the first ${as_of.log_size} log entries.\n`
}

function anchorTable(answer: ResponseOf<'listAnchors'>, screen: Screen): string {
  return pageTable(answer, 'anchors', screen, [
    { title: 'person', cell: ({ human_ref }) => human_ref },
    { title: 'base', cell: ({ base }) => String(base), whole: true },
    { title: 'reason', cell: ({ reason = '' }) => reason },
    { title: 'named', cell: ({ named_at }) => moment(named_at), whole: true },
  ])
}

function removed({ human_ref }: ResponseOf<'removeAnchor'>): string {
  return `${human_ref} is no longer named as an anchor. A verification at L2 or L3 still counts.\n`
}

function anchorFacts(anchor: ResponseOf<'nameAnchor'>): string {
  return facts([
    ['anchor', anchor.human_ref],
    ['base', String(anchor.base)],
    ['reason', anchor.reason],
    ['named', moment(anchor.named_at)],
  ])
}
