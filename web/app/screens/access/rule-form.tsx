import { useState } from 'preact/hooks'
import type { AlertRule, DryRunAlertRuleAnswer } from '../../../../sdk/node/src/generated/operations.ts'
import { callService } from '../../api/client.ts'
import { When } from '../../parts/basics.tsx'
import { ChoiceField, FormDialog, type FormState, TextField, useForm } from '../../parts/form.tsx'
import { tell } from '../../parts/toast.tsx'
import { nameOfAgent } from '../../words/agent-names.ts'
import { firingWords } from '../../words/alert-condition.ts'
import { agentWord } from '../../words/ids.ts'
import {
  CONDITION_KINDS,
  type ConditionDraft,
  type ConditionKind,
  conditionDraft,
  conditionOf,
  MEMBERS,
} from './rule-draft.ts'

const EFFECTS = [
  ['notify', 'notify only'],
  ['ask', 'require approval for each action'],
  ['suspend', 'suspend the agent'],
] as const

const POINTERS = ['/name', '/condition', '/effect', '/agent_id', '/window_minutes', '/ask_minutes'] as const

interface RuleDialog {
  readonly close: () => void
  readonly done: () => void
  /** Undefined for a new one. */
  readonly of?: AlertRule
}

/** Creates or changes a rule, after showing what it would have done in the last week. */
export function RuleForm({ close, done, of }: RuleDialog) {
  const form = useForm(POINTERS)
  const [name, setName] = useState(of?.name ?? '')
  const [draft, setDraft] = useState(conditionDraft(of?.condition))
  const [effect, setEffect] = useState<AlertRule['effect']>(of?.effect ?? 'notify')
  const [agent, setAgent] = useState(of?.agent_id === undefined ? '' : agentWord(of.agent_id))
  const [minutes, setMinutes] = useState(String(of?.window_minutes ?? 60))
  const [asking, setAsking] = useState(String(of?.ask_minutes ?? 60))
  const [past, setPast] = useState<DryRunAlertRuleAnswer>()
  const change = (part: Partial<ConditionDraft>) => {
    setPast(undefined)
    setDraft((before) => ({ ...before, ...part }))
  }
  const rule = () => ({
    condition: conditionOf(draft),
    window_minutes: Number(minutes),
    ...(agent.trim() !== '' && { agent_id: agent.trim() }),
  })
  const dryRun = () => form.send(async () => setPast(await callService('dryRunAlertRule', rule())))
  const run = async () => {
    const { agent_id, ...changed } = rule()
    const named = {
      name: name.trim(),
      effect,
      ...changed,
      ...(effect === 'ask' && { ask_minutes: Number(asking) }),
    }
    if (of === undefined)
      await callService('createAlertRule', { ...named, ...(agent_id !== undefined && { agent_id }) })
    else await callService('updateAlertRule', { rule_id: of.rule_id, ...named })
    tell(of === undefined ? `“${named.name}” is now active.` : `“${named.name}” is changed.`)
    done()
  }
  return (
    <FormDialog
      title={of === undefined ? 'Create an alert rule' : `Change “${of.name}”`}
      verb={of === undefined ? 'Create rule' : 'Save'}
      of={form}
      run={run}
      close={close}
    >
      <TextField label="Name" pointer="/name" of={form} value={name} set={setName} />
      <ChoiceField
        label="When"
        pointer="/condition/kind"
        of={form}
        options={CONDITION_KINDS}
        chosen={draft.kind}
        choose={(kind: ConditionKind) => change({ kind })}
      />
      <ConditionFields draft={draft} change={change} of={form} />
      <ChoiceField
        label="Then"
        pointer="/effect"
        of={form}
        options={EFFECTS}
        chosen={effect}
        choose={setEffect}
      />
      {effect === 'ask' && (
        <TextField
          label="Minutes during which the agent must ask"
          pointer="/ask_minutes"
          inputMode="numeric"
          of={form}
          value={asking}
          set={setAsking}
        />
      )}
      {of === undefined && (
        <TextField
          label="Only this agent (optional)"
          pointer="/agent_id"
          isOptional
          of={form}
          value={agent}
          set={setAgent}
        />
      )}
      <TextField
        label="Minutes between two alerts for one agent"
        pointer="/window_minutes"
        inputMode="numeric"
        of={form}
        value={minutes}
        set={setMinutes}
      />
      <div class="dry-run" role="status">
        <button type="button" class="small" disabled={form.isBusy} onClick={() => void dryRun()}>
          Try it on the last week
        </button>
        {past !== undefined && <Past of={past} />}
      </div>
    </FormDialog>
  )
}

const SHOWN_FIRINGS = 3

function Past({ of: { count, data } }: { readonly of: DryRunAlertRuleAnswer }) {
  return (
    <div>
      <p class="strong">{firingWords(count)}</p>
      <ul>
        {data.slice(-SHOWN_FIRINGS).map(({ agent_id, at, explanation }) => (
          <li key={`${agent_id} ${at}`}>
            {nameOfAgent(agent_id)}: {explanation}{' '}
            <span class="dim">
              <When at={at} />
            </span>
          </li>
        ))}
      </ul>
    </div>
  )
}

const NUMBER_FIELDS = {
  more_than: ['More denials than', 'numeric'],
  within_minutes: ['Within (minutes)', 'numeric'],
  deeper_than: ['More delegations than', 'numeric'],
  times: ['Times its highest hour', 'decimal'],
  at_least_usd: ['And at least (US dollars)', 'decimal'],
} as const
const PERCENTS = [
  ['50', '50 %'],
  ['80', '80 %'],
  ['100', '100 %'],
] as const
const USES = [
  ['action', 'an action'],
  ['resource', 'a resource'],
] as const

function ConditionFields({
  draft,
  change,
  of,
}: {
  readonly draft: ConditionDraft
  readonly change: (part: Partial<ConditionDraft>) => void
  readonly of: FormState
}) {
  return (
    <>
      {MEMBERS[draft.kind].map((member) => {
        const shared = { pointer: `/condition/${member}`, of }
        if (member === 'percent')
          return (
            <ChoiceField
              key={member}
              {...shared}
              label="Used to"
              options={PERCENTS}
              chosen={draft.percent}
              choose={(percent) => change({ percent })}
            />
          )
        if (member === 'of')
          return (
            <ChoiceField
              key={member}
              {...shared}
              label="First use of"
              options={USES}
              chosen={draft.of}
              choose={(use) => change({ of: use })}
            />
          )
        const [label, inputMode] = NUMBER_FIELDS[member]
        return (
          <TextField
            key={member}
            {...shared}
            label={label}
            inputMode={inputMode}
            value={draft[member]}
            set={(value) => change({ [member]: value })}
          />
        )
      })}
    </>
  )
}
