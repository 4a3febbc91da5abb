import { useRef, useState } from 'preact/hooks'
import type {
  PreviewAuditPackAnswer,
  PreviewAuditPackInput,
  WorkflowView,
} from '../../../../sdk/node/src/generated/operations.ts'
import { callService, problemText } from '../../api/client.ts'
import { useLoad } from '../../api/load.ts'
import {
  AgentLink,
  Card,
  Choices,
  Empty,
  FactList,
  OutcomeMark,
  ProblemBox,
  ScreenFrame,
  Shown,
  When,
} from '../../parts/basics.tsx'
import { MoreButton, usePages } from '../../parts/pages.tsx'
import { type ListColumn, Table } from '../../parts/table.tsx'
import { download } from '../../pictures/save.ts'
import { setQuery, shownAddress } from '../../router.ts'
import { nameOfAgent } from '../../words/agent-names.ts'
import { bytesText } from '../../words/bytes.ts'
import { counted, numberText } from '../../words/money.ts'
import { localTime, zoneName } from '../../words/time.ts'
import { choiceIn, wordsIn } from './choice.ts'

const WAYS = [
  ['time', 'By time and agents'],
  ['workflows', 'Single workflows'],
] as const

/** Makes an audit pack: choose, see its size, download. */
export function AuditScreen() {
  const { query } = shownAddress.value
  const way = query.get('by') === 'workflows' ? 'workflows' : 'time'
  const choice = choiceIn(query)
  return (
    <ScreenFrame
      title="Audit"
      lead="One archive with the proofs, every decision and who made it, and the verdict of the verifier. Anyone can check it offline."
    >
      <div class="filters">
        <Choices
          label="Choose"
          of={WAYS}
          chosen={way}
          choose={(value) => setQuery({ by: value === 'time' ? undefined : value })}
        />
      </div>
      <div class="pair">
        <Card title="What to audit">{way === 'time' ? <TimeAndAgents /> : <ChosenCount />}</Card>
        <PackCard choice={choice} />
      </div>
      {way === 'workflows' && <WorkflowPicker />}
      <CheckIt />
    </ScreenFrame>
  )
}

function TimeAndAgents() {
  const { query } = shownAddress.value
  const field = (name: string) => ({
    value: query.get(name) ?? '',
    onInput: (event: { readonly currentTarget: HTMLInputElement }) =>
      setQuery({ [name]: event.currentTarget.value }),
  })
  return (
    <div class="stacked-form">
      <label class="field">
        From
        <input type="date" {...field('from')} />
      </label>
      <label class="field">
        To, this day included
        <input type="date" {...field('to')} />
      </label>
      <label class="field">
        Agents, by their IDs, separated by commas
        <input
          type="text"
          placeholder="All agents"
          autocomplete="off"
          spellcheck={false}
          {...field('agents')}
        />
      </label>
      <p class="dim">
        Without dates, the pack covers the whole log. Days are those of your time zone, {zoneName()}. A
        workflow is in the pack, as a whole, if it began on these days or something happened in it.
      </p>
    </div>
  )
}

function ChosenCount() {
  const chosen = wordsIn(shownAddress.value.query.get('workflow'))
  return chosen.length === 0 ? (
    <p class="dim">Tick workflows in the list below.</p>
  ) : (
    <>
      <p>{counted(chosen.length, 'workflow')} ticked.</p>
      <div class="buttons">
        <button type="button" onClick={() => setQuery({ workflow: undefined })}>
          Untick all
        </button>
      </div>
    </>
  )
}

function PackCard({ choice }: { readonly choice: PreviewAuditPackInput | undefined }) {
  const preview = useLoad('previewAuditPack', choice, { live: false })
  return (
    <Card title="The pack">
      {choice === undefined ? (
        <p class="dim">Nothing is chosen yet.</p>
      ) : (
        <Shown of={preview}>
          {(data) => (
            <>
              <PreviewFacts of={data} />
              {data.workflows > 0 && <PackDownload choice={choice} fits={data.fits} />}
            </>
          )}
        </Shown>
      )}
    </Card>
  )
}

function PreviewFacts({ of: preview }: { readonly of: PreviewAuditPackAnswer }) {
  const { workflows, records, denials, approvals, tokens, is_at_least, first_at, last_at, fits } = preview
  const some = (count: number) => `${numberText(count)}${is_at_least ? ' or more' : ''}`
  if (workflows === 0)
    return (
      <Empty title={is_at_least ? 'Too many workflows for one pack.' : 'Nothing to audit.'}>
        {is_at_least
          ? `A pack has at most ${counted(preview.max_workflows, 'workflow')}. Choose a shorter time or fewer agents.`
          : 'No workflow of these days and agents is in the log.'}
      </Empty>
    )
  return (
    <>
      <FactList
        of={[
          ['Workflows', numberText(workflows)],
          ['Actions', some(records)],
          ['Denials', some(denials)],
          ['Approvals', some(approvals)],
          ['Tokens', some(tokens)],
          ['Began', momentOf(first_at)],
          ['Last action', momentOf(last_at)],
        ]}
      />
      {!fits && (
        <ProblemBox
          text={`A pack has at most ${numberText(preview.max_entries)} tokens, actions, denials and approvals together. Choose a shorter time or fewer agents.`}
        />
      )}
    </>
  )
}

/** Auditors compare times, so this shows the time and not how long ago it was. */
function momentOf(at: string | undefined) {
  return at === undefined ? <span class="dim">never</span> : <time dateTime={at}>{localTime(at)}</time>
}

/** Downloads with progress. Nothing is saved unless all of it arrives. */
function PackDownload({ choice, fits }: { readonly choice: PreviewAuditPackInput; readonly fits: boolean }) {
  const [received, setReceived] = useState<number>()
  const [said, setSaid] = useState<string>()
  const [problem, setProblem] = useState<string>()
  const ending = useRef<AbortController | undefined>(undefined)
  const run = async () => {
    ending.current = new AbortController()
    setReceived(0)
    setSaid(undefined)
    setProblem(undefined)
    try {
      const { body, file_name = 'audit-pack.zip' } = await callService(
        'exportAuditPack',
        choice,
        ending.current.signal,
      )
      const archive = await collected(body, setReceived)
      download(archive, file_name)
      setSaid(`${file_name} is complete: ${bytesText(archive.size)}.`)
    } catch (error) {
      if (ending.current.signal.aborted) setSaid('Cancelled. Nothing was saved.')
      else setProblem(problemText(error))
    } finally {
      setReceived(undefined)
    }
  }
  return (
    <>
      <div class="buttons">
        <button
          type="button"
          class="filled"
          disabled={!fits || received !== undefined}
          onClick={() => void run()}
        >
          Download pack
        </button>
        {received !== undefined && (
          <button type="button" onClick={() => ending.current?.abort()}>
            Cancel
          </button>
        )}
      </div>
      {received !== undefined && (
        <p>
          <progress aria-label="The pack is being made" /> {bytesText(received)} received
        </p>
      )}
      <div role="status">{said}</div>
      {problem !== undefined && <ProblemBox text={problem} />}
    </>
  )
}

async function collected(
  body: ReadableStream<Uint8Array>,
  onProgress: (bytes: number) => void,
): Promise<Blob> {
  const reader = body.getReader()
  const parts: Uint8Array<ArrayBuffer>[] = []
  let bytes = 0
  for (let step = await reader.read(); !step.done; step = await reader.read()) {
    parts.push(new Uint8Array(step.value))
    bytes += step.value.length
    onProgress(bytes)
  }
  return new Blob(parts, { type: 'application/zip' })
}

function WorkflowPicker() {
  const list = usePages('listWorkflows', { expand: 'token', limit: 50 })
  return (
    <>
      <Shown of={list}>
        {(workflows) =>
          workflows.length === 0 ? (
            <Empty title="No workflows yet.">A workflow begins when a person lets an agent act.</Empty>
          ) : (
            <section class="card flush">
              <Table
                label="Workflows to audit"
                columns={PICK_COLUMNS}
                rows={workflows}
                keyOf={({ provenance_ref }) => provenance_ref}
              />
            </section>
          )
        }
      </Shown>
      <MoreButton of={list} />
    </>
  )
}

const PICK_COLUMNS: readonly ListColumn<WorkflowView>[] = [
  { name: 'Workflow', cell: (workflow) => <PickBox of={workflow} /> },
  { name: 'Started by', wide: true, cell: ({ agent_id }) => <AgentLink agent_id={agent_id} /> },
  { name: 'State', cell: ({ state }) => <OutcomeMark name={state} /> },
  { name: 'Actions', number: true, cell: ({ total_records }) => numberText(total_records) },
  { name: 'Began', wide: true, cell: ({ created_at }) => <When at={created_at} /> },
]

function PickBox({ of: { provenance_ref, purpose, agent_id } }: { readonly of: WorkflowView }) {
  const chosen = wordsIn(shownAddress.value.query.get('workflow'))
  const isChosen = chosen.includes(provenance_ref)
  const toggle = () =>
    setQuery({
      workflow: (isChosen
        ? chosen.filter((one) => one !== provenance_ref)
        : [...chosen, provenance_ref]
      ).join(','),
    })
  return (
    <label class="check">
      <input type="checkbox" checked={isChosen} onChange={toggle} />
      <span class="clip strong">{purpose ?? `Workflow of ${nameOfAgent(agent_id)}`}</span>
    </label>
  )
}

function CheckIt() {
  return (
    <Card title="Check a pack">
      <p>
        Offline, with the key of the log from a source you trust:{' '}
        <code>deputy verify audit-pack.zip --key …</code>
      </p>
      <div class="buttons">
        <a class="button" href="/verify" target="_blank" rel="noreferrer">
          Check a pack in this browser
        </a>
        <a class="button" href="/guides/audit" target="_blank" rel="noreferrer">
          An audit in ten minutes
        </a>
      </div>
    </Card>
  )
}
