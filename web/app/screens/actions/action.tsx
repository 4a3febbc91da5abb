import { useState } from 'preact/hooks'
import type { ActionRecord, GetLineageAnswer } from '../../../../sdk/node/src/generated/operations.ts'
import { callService, OWN_PAGE } from '../../api/client.ts'
import { useLoad } from '../../api/load.ts'
import {
  AgentLink,
  Card,
  Empty,
  FactList,
  Id,
  OutcomeMark,
  ScreenFrame,
  Shown,
  When,
} from '../../parts/basics.tsx'
import { Confirm } from '../../parts/dialog.tsx'
import { can } from '../../shell/session.ts'
import { idPlace } from '../../words/ids.ts'
import { numberText, score, usd } from '../../words/money.ts'
import { OUTCOMES, RATING_OUTCOMES, recordOutcome } from '../../words/outcome.ts'
import { RecordTable } from './record-table.tsx'

const EVIDENCE = {
  self_reported: 'the agent reported it',
  observed: 'Deputy or a guard observed it',
  countersigned: 'another party countersigned it',
} as const

export function ActionScreen({ id }: { readonly id: string }) {
  const lineage = useLoad('getLineage', { id })
  return (
    <Shown of={lineage} screen="Action">
      {(data) => <ActionPage lineage={data} reload={lineage.reload} />}
    </Shown>
  )
}

function ActionPage({
  lineage: { record, causes, effects },
  reload,
}: {
  readonly lineage: GetLineageAnswer
  readonly reload: () => void
}) {
  return (
    <ScreenFrame
      title={`${record.action} ${record.resource}`}
      lead={
        <span class="lead-line">
          <OutcomeMark name={recordOutcome(record)} />
          <AgentLink agent_id={record.agent_id} />
          <When at={record.created_at} />
        </span>
      }
      aside={<RecordButtons record={record} reload={reload} />}
    >
      <Card title="The record" kind="columns">
        <FactList of={factsOf(record)} />
      </Card>
      <div class="stack">
        <Card title="What led to it" kind="flush">
          {causes.length === 0 ? (
            <Empty title="It began here.">
              Causes appear when an action names another one as its parent.
            </Empty>
          ) : (
            <RecordTable records={causes} />
          )}
        </Card>
        <Card title="What it led to" kind="flush">
          {effects.length === 0 ? (
            <Empty title="Nothing followed.">
              Effects appear when a later action names this one as its parent.
            </Empty>
          ) : (
            <RecordTable records={effects} />
          )}
        </Card>
      </div>
    </ScreenFrame>
  )
}

function factsOf(record: ActionRecord): (readonly [string, preact.ComponentChildren])[] {
  const metadata = Object.entries(record.metadata ?? {}).map(
    ([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)] as const,
  )
  return [
    ['Result', record.result ?? record.state],
    ['Spent', usd(record.spend_usd)],
    ['Trust score', score(record.trust_score)],
    ['Evidence', EVIDENCE[record.evidence]],
    ['Person verified', record.assurance_level],
    ...(record.rating === undefined
      ? []
      : [['Rating', OUTCOMES[RATING_OUTCOMES[record.rating]].word] as const]),
    ...(record.note === undefined ? [] : [['Note', record.note] as const]),
    ...metadata,
    [
      'Workflow',
      <a key="workflow" href={idPlace(record.provenance_ref)}>
        Open workflow
      </a>,
    ],
    [
      'Token',
      <a key="token" href={idPlace(record.vat_jti)}>
        Open token
      </a>,
    ],
    ['Record', <Id key="record" id={record.aar_id} />],
    ['Log entry', numberText(record.log_index)],
    ['Leaf hash', <Id key="hash" id={record.leaf_hash} />],
  ]
}

const RATING_CHOICES = ['approved', 'flagged', 'rejected'] as const

function RecordButtons({ record, reload }: { readonly record: ActionRecord; readonly reload: () => void }) {
  const [rating, setRating] = useState<(typeof RATING_CHOICES)[number]>()
  const isRateable = record.state === 'completed' && record.rating === undefined && can('rateRecord')
  return (
    <>
      {isRateable && (
        <>
          <span class="dim">Rate this action</span>
          {RATING_CHOICES.map((one) => (
            <button key={one} type="button" onClick={() => setRating(one)}>
              <OutcomeMark name={RATING_OUTCOMES[one]} />
            </button>
          ))}
        </>
      )}
      {can('getReceipt') && (
        // The exact bytes of the service: texts on screens are changed to be readable.
        <a
          class="button"
          download={`${record.aar_id}.receipt.json`}
          href={`/v1/vat/aar/${record.aar_id}/receipt`}
        >
          Receipt
        </a>
      )}
      {rating !== undefined && (
        <Confirm
          title={`Rate this action as ${OUTCOMES[RATING_OUTCOMES[rating]].word}?`}
          verb={`Rate as ${OUTCOMES[RATING_OUTCOMES[rating]].word}`}
          noteLabel="Note (optional)"
          passkeyAt={OWN_PAGE}
          run={async (note) => {
            await callService('rateRecord', {
              id: record.aar_id,
              rating,
              ...(note !== undefined && { note }),
            })
            reload()
          }}
          close={() => setRating(undefined)}
        >
          <p>Ratings count towards the reputation of the agent and cannot be changed.</p>
        </Confirm>
      )}
    </>
  )
}
