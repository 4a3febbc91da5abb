import type { Command } from 'commander'
import { addCallCommand, type ResponseOf } from '../client/call-command.ts'
import { callingCommand } from '../client/running.ts'
import { facts } from '../terminal/facts.ts'
import type { Screen } from '../terminal/screen.ts'
import { table } from '../terminal/table.ts'
import { agentName, count, moment } from '../terminal/words.ts'
import { pageTable } from './page.ts'

type Rule = ResponseOf<'getAlertRule'>

/** `deputy alerts`: lists alerts, and lists, adds, tries and deletes the rules behind them. */
export function addAlertsCommand(program: Command): void {
  const alerts = callingCommand(program, 'alerts', 'list alerts, and manage and try their rules')
  addCallCommand(alerts, { name: 'list', operation: 'listAlerts', say: alertTable, isDefault: true })
  addCallCommand(alerts, { name: 'rules', operation: 'listAlertRules', say: ruleTable })
  addCallCommand(alerts, { name: 'add', operation: 'createAlertRule', args: ['name'], say: ruleFacts })
  addCallCommand(alerts, { name: 'suggested', operation: 'suggestAlertRules', say: suggestedText })
  addCallCommand(alerts, { name: 'dry-run', operation: 'dryRunAlertRule', say: dryRunText })
  addCallCommand(alerts, {
    name: 'delete',
    operation: 'deleteAlertRule',
    args: ['rule_id'],
    say: ({ rule_id }) => `deleted ${rule_id}\n`,
  })
}

function alertTable(answer: ResponseOf<'listAlerts'>, screen: Screen): string {
  return pageTable(answer, 'alerts', screen, [
    { title: 'fired', cell: ({ fired_at }) => moment(fired_at), whole: true },
    { title: 'agent', cell: ({ agent_id }) => agentName(agent_id) },
    { title: 'effect', cell: ({ effect }) => effect, whole: true },
    { title: 'why', cell: ({ explanation }) => explanation },
  ])
}

function ruleTable(answer: ResponseOf<'listAlertRules'>, screen: Screen): string {
  return pageTable(answer, 'rules', screen, [
    { title: 'rule', cell: ({ rule_id }) => rule_id, whole: true },
    { title: 'name', cell: ({ name }) => name },
    { title: 'effect', cell: ({ effect, enabled }) => (enabled ? effect : 'off'), whole: true },
  ])
}

function ruleFacts({ rule_id, name, condition, effect, agent_id, window_minutes, enabled }: Rule): string {
  return facts([
    ['rule', rule_id],
    ['name', name],
    ['when', JSON.stringify(condition)],
    ['effect', enabled ? effect : `${effect} (off)`],
    ['agent', agent_id === undefined ? 'every agent' : agentName(agent_id)],
    ['window', count(window_minutes, 'minute')],
  ])
}

function suggestedText({ data }: ResponseOf<'suggestAlertRules'>, screen: Screen): string {
  if (data.length === 0) return 'every suggestion has a rule already\n'
  return ruleTable({ data, next_cursor: null, has_more: false }, screen)
}

function dryRunText({ count: fired, from, data }: ResponseOf<'dryRunAlertRule'>, screen: Screen): string {
  const line = `would have fired ${count(fired, 'time')} since ${moment(from)}\n`
  if (data.length === 0) return line
  const rows = table(
    [
      { title: 'at', cell: ({ at }) => moment(at), whole: true },
      { title: 'agent', cell: ({ agent_id }) => agentName(agent_id) },
      { title: 'why', cell: ({ explanation }) => explanation },
    ],
    data,
    screen,
  )
  return `${line}\n${rows}`
}
