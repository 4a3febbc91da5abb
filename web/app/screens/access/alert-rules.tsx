import { useState } from 'preact/hooks'
import type { Alert, AlertRule } from '../../../../sdk/node/src/generated/operations.ts'
import { callService } from '../../api/client.ts'
import { useLoad, useNow } from '../../api/load.ts'
import { AgentLink, Card, Empty, Mark, Shown, When } from '../../parts/basics.tsx'
import { Confirm } from '../../parts/dialog.tsx'
import { MoreButton, usePages } from '../../parts/pages.tsx'
import { type ListColumn, Table } from '../../parts/table.tsx'
import { doAndTell, tell } from '../../parts/toast.tsx'
import { can } from '../../shell/session.ts'
import { askingWords, conditionWords, EFFECT_WORDS, effectWords } from '../../words/alert-condition.ts'
import { counted } from '../../words/money.ts'
import { RuleForm } from './rule-form.tsx'

export function AlertRulesTab() {
  const list = usePages('listAlertRules', { limit: 50 })
  const [deleted, remove] = useState<AlertRule>()
  const [edited, edit] = useState<AlertRule | 'new'>()
  return (
    <>
      <Card
        title="Alert rules"
        kind="flush"
        aside={
          can('createAlertRule') && (
            <button type="button" class="small filled apart" onClick={() => edit('new')}>
              Create rule…
            </button>
          )
        }
      >
        <Shown of={list}>
          {(rules) =>
            rules.length === 0 ? (
              <NoRules reload={list.reload} />
            ) : (
              <Table
                label="Alert rules"
                columns={[
                  ...COLUMNS,
                  ...(can('updateAlertRule') ? [deedColumn(list.reload, remove, edit)] : []),
                ]}
                rows={rules}
                keyOf={({ rule_id }) => rule_id}
              />
            )
          }
        </Shown>
        <MoreButton of={list} />
      </Card>
      {can('listAlerts') && <FiredAlerts />}
      {edited !== undefined && (
        <RuleForm
          close={() => edit(undefined)}
          done={list.reload}
          {...(edited !== 'new' && { of: edited })}
        />
      )}
      {deleted !== undefined && (
        <DeleteRule rule={deleted} close={() => remove(undefined)} done={list.reload} />
      )}
    </>
  )
}

function NoRules({ reload }: { readonly reload: () => void }) {
  const suggest = () =>
    doAndTell(async () => {
      const { data } = await callService('suggestAlertRules', {})
      reload()
      return `${counted(data.length, 'rule')} switched on.`
    })
  return (
    <div class="empty">
      <p class="strong">No rules.</p>
      <p>A rule watches agents: many denials, unusual hours, a budget that runs out, and more.</p>
      {can('suggestAlertRules') && (
        <div class="buttons">
          <button type="button" onClick={() => void suggest()}>
            Switch on the suggested rules
          </button>
        </div>
      )}
    </div>
  )
}

const COLUMNS: readonly ListColumn<AlertRule>[] = [
  { name: 'Rule', cell: ({ name }) => <span class="strong">{name}</span> },
  {
    name: 'State',
    cell: ({ enabled }) =>
      enabled ? <Mark tone="done" shape="●" word="on" /> : <Mark tone="dim" shape="○" word="off" />,
  },
  { name: 'When', wide: true, cell: ({ condition }) => conditionWords(condition) },
  { name: 'Then', cell: (rule) => effectWords(rule) },
  {
    name: 'Agent',
    wide: true,
    cell: ({ agent_id }) =>
      agent_id === undefined ? <span class="dim">all</span> : <AgentLink agent_id={agent_id} />,
  },
]

function deedColumn(
  reload: () => void,
  remove: (rule: AlertRule) => void,
  edit: (rule: AlertRule) => void,
): ListColumn<AlertRule> {
  return {
    name: 'Actions',
    number: true,
    cell: (rule) => (
      <span class="row-deeds">
        <button type="button" class="small" onClick={() => void turn(rule, reload)}>
          {rule.enabled ? 'Switch off' : 'Switch on'}
        </button>
        <button type="button" class="small" onClick={() => edit(rule)}>
          Change…
        </button>
        {can('deleteAlertRule') && (
          <button type="button" class="small danger" onClick={() => remove(rule)}>
            Delete…
          </button>
        )}
      </span>
    ),
  }
}

function turn({ rule_id, name, enabled }: AlertRule, reload: () => void): Promise<void> {
  return doAndTell(async () => {
    await callService('updateAlertRule', { rule_id, enabled: !enabled })
    reload()
    return `“${name}” is ${enabled ? 'off' : 'on'}.`
  })
}

function DeleteRule({
  rule,
  close,
  done,
}: {
  readonly rule: AlertRule
  readonly close: () => void
  readonly done: () => void
}) {
  const run = async () => {
    await callService('deleteAlertRule', { rule_id: rule.rule_id })
    tell(`“${rule.name}” is deleted.`)
    done()
  }
  return (
    <Confirm title={`Delete “${rule.name}”?`} verb="Delete rule" isDangerous run={run} close={close}>
      <p>The rule stops watching. Its alerts stay in the log.</p>
    </Confirm>
  )
}

const ALERT_COLUMNS: readonly ListColumn<Alert>[] = [
  { name: 'Agent', cell: ({ agent_id }) => <AgentLink agent_id={agent_id} /> },
  { name: 'Why', cell: (alert) => <AlertReason of={alert} /> },
  { name: 'Rule', wide: true, cell: ({ rule_name }) => rule_name },
  { name: 'Then', wide: true, cell: ({ effect }) => EFFECT_WORDS[effect] },
  { name: 'Fired', cell: ({ fired_at }) => <When at={fired_at} /> },
]

function AlertReason({ of }: { readonly of: Alert }) {
  const asking = askingWords(of, useNow())
  return (
    <>
      {of.explanation}
      {asking !== undefined && <p class="dim">{asking}</p>}
    </>
  )
}

function FiredAlerts() {
  const list = useLoad('listAlerts', { limit: 20 })
  return (
    <Card title="Latest alerts" kind="flush">
      <Shown of={list}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty title="Nothing fired.">An alert appears when an active rule matches.</Empty>
          ) : (
            <Table label="Alerts" columns={ALERT_COLUMNS} rows={data} keyOf={({ alert_id }) => alert_id} />
          )
        }
      </Shown>
    </Card>
  )
}
