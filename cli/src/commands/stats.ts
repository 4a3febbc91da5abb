import type { Command } from 'commander'
import { addCallCommand, type ResponseOf } from '../client/call-command.ts'
import type { Screen } from '../terminal/screen.ts'
import { table } from '../terminal/table.ts'
import { agentName, dollars, moment } from '../terminal/words.ts'

type Stats = ResponseOf<'getStats'>
type StatsRow = Stats['data'][number]

/** `deputy stats`: actions, denials, spend and approvals over time. */
export function addStatsCommand(program: Command): void {
  addCallCommand(program, { name: 'stats', operation: 'getStats', say: statsTable })
}

function statsTable({ data, bucket, group_by, totals, truncated }: Stats, screen: Screen): string {
  if (data.length === 0) return 'nothing was counted in this period\n'
  const time = { title: 'from', cell: ({ start }: StatsRow) => moment(start), whole: true } as const
  const group = { title: group_by ?? '', cell: groupText }
  const rows = table(
    [
      ...(bucket === 'all' ? [] : [time]),
      ...(group_by === undefined ? [] : [group]),
      { title: 'allowed', cell: ({ allowed }) => String(allowed), whole: true },
      { title: 'denied', cell: ({ denied }) => String(denied), whole: true },
      { title: 'spend', cell: ({ spend_usd }) => dollars(spend_usd), whole: true },
      { title: 'asked', cell: ({ approvals_asked }) => String(approvals_asked), whole: true },
    ],
    data,
    screen,
  )
  const line =
    group_by === undefined && data.length > 1
      ? `allowed  ${sparkline(data.map(({ allowed }) => allowed))}\n`
      : ''
  const sum = `total    ${totals.allowed} allowed, ${totals.denied} denied, ${dollars(totals.spend_usd)}\n`
  return `${rows}\n${line}${sum}${truncated ? 'Smaller groups are added up as "other". Show more with --limit.\n' : ''}`
}

function groupText({ agent_id, action, resource, reason, tenant_id, other }: StatsRow): string {
  if (other === true) return 'other'
  if (agent_id !== undefined) return agentName(agent_id)
  return [action, resource, reason, tenant_id].filter((part) => part !== undefined).join(' ')
}

const BARS = '▁▂▃▄▅▆▇█'

/** One bar for each number, as high as its share of the largest. */
function sparkline(values: readonly number[]): string {
  const most = Math.max(1, ...values)
  return values.map((value) => BARS[Math.round((value / most) * (BARS.length - 1))]).join('')
}
