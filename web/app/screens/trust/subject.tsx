import { useMemo, useState } from 'preact/hooks'
import type {
  CutPart,
  GetTrustGraphAnswer,
  GetVouchScoreAnswer,
  TrustEdge,
  TrustPath,
} from '../../../../sdk/node/src/generated/operations.ts'
import { type Loaded, useLoad } from '../../api/load.ts'
import { Card, Choices, Empty, FactList, Id, ScreenFrame, Shown } from '../../parts/basics.tsx'
import { usePages } from '../../parts/pages.tsx'
import { Legend, PictureFrame } from '../../pictures/picture.tsx'
import { MOST_DRAWN_NODES, trustPicture } from '../../pictures/trust-graph.ts'
import { TrustGraphView } from '../../pictures/trust-graph-view.tsx'
import { setQuery, shownAddress } from '../../router.ts'
import { can } from '../../shell/session.ts'
import { nameOfSubject } from '../../words/agent-names.ts'
import { agentPlace, personPlace, trustPlace } from '../../words/ids.ts'
import { counted, numberText, score } from '../../words/money.ts'
import { AnchorDialog, RemoveAnchorDialog, VouchDialog } from './vouch-dialogs.tsx'
import { VouchTable } from './vouch-table.tsx'

const DEPTHS = [
  ['1', '1 step'],
  ['2', '2 steps'],
  ['3', '3 steps'],
] as const
type Depth = (typeof DEPTHS)[number][0]

type DialogName = 'vouch' | 'anchor' | 'remove_anchor'

/** The vouches around a person or an agent, and why its score is what it is. */
export function TrustGraphScreen({ id }: { readonly id: string }) {
  const { query } = shownAddress.value
  const depth: Depth = DEPTHS.find(([one]) => one === query.get('depth'))?.[0] ?? '2'
  const context = query.get('context') ?? ''
  const graph = useLoad('getTrustGraph', { around: id, depth: Number(depth) })
  const explained = useLoad('getVouchScore', {
    subject: id,
    explain: '1',
    ...(context !== '' && { context }),
  })
  const [dialog, open] = useState<DialogName>()
  const close = () => open(undefined)
  const reload = () => {
    graph.reload()
    explained.reload()
  }
  const isPerson = !id.startsWith('agent:')
  const isAnchor = graph.data?.nodes.some(({ subject, base }) => subject === id && base !== undefined)
  return (
    <ScreenFrame
      title={`Trust in ${nameOfSubject(id)}`}
      lead={
        <span class="lead-line">
          <Id id={id} />
          <a class="plain-link" href={isPerson ? personPlace(id) : agentPlace(id)}>
            {isPerson ? 'Open the person' : 'Open the agent'}
          </a>
        </span>
      }
      aside={
        <>
          {isPerson && can('nameAnchor') && (
            <button type="button" onClick={() => open('anchor')}>
              Name as anchor…
            </button>
          )}
          {isPerson && isAnchor && can('removeAnchor') && (
            <button type="button" onClick={() => open('remove_anchor')}>
              Remove anchor…
            </button>
          )}
          {can('vouch') && (
            <button type="button" class="filled" onClick={() => open('vouch')}>
              Vouch…
            </button>
          )}
        </>
      }
    >
      <div class="filters">
        <Choices
          label="Steps away"
          of={DEPTHS}
          chosen={depth}
          choose={(value) => setQuery({ depth: value === '2' ? undefined : value })}
        />
        <input
          type="search"
          data-filter
          aria-label="Context of the score"
          placeholder="Context, such as payments"
          value={context}
          pattern="[a-z0-9_\-]{1,32}"
          onChange={(event) => setQuery({ context: event.currentTarget.value.trim() })}
        />
      </div>
      <div class="with-side">
        <Shown of={graph} rows={8}>
          {(data) => <GraphPicture graph={data} score={explained.data} />}
        </Shown>
        <div class="stack">
          <Why of={explained} edges={graph.data?.edges ?? []} />
          <SelectedSubject id={id} graph={graph.data} />
        </div>
      </div>
      <Vouches id={id} isPerson={isPerson} changed={reload} />
      {dialog === 'vouch' && <VouchDialog to={id} close={close} done={reload} />}
      {dialog === 'anchor' && <AnchorDialog human_ref={id} close={close} done={reload} />}
      {dialog === 'remove_anchor' && <RemoveAnchorDialog human_ref={id} close={close} done={reload} />}
    </ScreenFrame>
  )
}

function GraphPicture({
  graph,
  score: answer,
}: {
  readonly graph: GetTrustGraphAnswer
  readonly score: GetVouchScoreAnswer | undefined
}) {
  const selected = shownAddress.value.query.get('selected') ?? undefined
  const select = (one: string) => setQuery({ selected: one })
  const picture = useMemo(
    () => trustPicture(graph, { paths: answer?.paths ?? [], cut: answer?.cut ?? [] }),
    [graph, answer],
  )
  return (
    <PictureFrame
      name="vouches"
      title="Who vouches for whom"
      summary={`${counted(picture.dots.length, 'person or agent', 'people and agents')}, ${counted(picture.links.length, 'vouch', 'vouches')}.`}
      legend={
        <Legend
          of={[
            ['accent', 'carries the score'],
            ['wait', 'limits it'],
            ['dim', 'other vouch'],
          ]}
        />
      }
      twin={{
        columns: ['From', 'For', 'Weight', 'About', 'Carries', 'Limits'],
        rows: picture.links.map((link) => [
          nameOfSubject(link.from),
          nameOfSubject(link.to),
          score(link.weight),
          link.context ?? 'everything',
          score(link.carries),
          link.isLimit ? 'yes' : 'no',
        ]),
      }}
    >
      {(picture.hidden > 0 || graph.truncated) && (
        <p class="notice">
          Only the nearest {numberText(MOST_DRAWN_NODES)} are drawn, and all who carry the score.
        </p>
      )}
      {graph.withheld === true && <p class="notice">You see the vouches that you gave or got.</p>}
      {picture.links.length === 0 ? (
        <Empty title="No vouches.">
          Lines appear when a person vouches for {nameOfSubject(graph.around)}, or is vouched for.
        </Empty>
      ) : (
        <TrustGraphView picture={picture} around={graph.around} selected={selected} select={select} />
      )}
    </PictureFrame>
  )
}

/** The score, the paths that carry it, and what limits it. */
function Why({
  of,
  edges,
}: {
  readonly of: Loaded<GetVouchScoreAnswer>
  readonly edges: readonly TrustEdge[]
}) {
  return (
    <Card title={of.data === undefined ? 'Score' : `Why ${score(of.data.score)}`} kind="side">
      <Shown of={of}>
        {(answer) => (
          <>
            <FactList
              of={[
                ['Score', score(answer.score)],
                ['Flow', `${score(answer.flow)}${answer.truncated ? ' or more' : ''}`],
                ['From', counted(answer.anchors, 'anchor')],
                ['Along', counted(answer.vouches, 'vouch', 'vouches')],
              ]}
            />
            {answer.flow === 0 ? (
              <p class="dim">
                No vouch leads back to a verified person. Vouches from unverified people add nothing.
              </p>
            ) : (
              <>
                <Paths subject={answer.subject} of={answer.paths ?? []} />
                <Limits of={answer.cut ?? []} edges={edges} />
              </>
            )}
          </>
        )}
      </Shown>
    </Card>
  )
}

const MOST_PATHS = 6

function Paths({ subject, of }: { readonly subject: string; readonly of: readonly TrustPath[] }) {
  return (
    <div class="reasons">
      <h3>Paths that carry it</h3>
      <ol>
        {of.slice(0, MOST_PATHS).map(({ flow, steps }, index) => (
          // Paths have no names; the service returns them in a fixed order.
          <li key={index}>
            <span class="strong">{score(flow)}</span>{' '}
            {steps.map(({ from }, step) => (
              // The index is the step.
              <span key={step}>
                {from === undefined ? 'a person' : <a href={trustPlace(from)}>{nameOfSubject(from)}</a>} →{' '}
              </span>
            ))}
            {nameOfSubject(subject)}
          </li>
        ))}
      </ol>
      {of.length > MOST_PATHS && <p class="dim">and {counted(of.length - MOST_PATHS, 'more path')}</p>}
    </div>
  )
}

function Limits({ of, edges }: { readonly of: readonly CutPart[]; readonly edges: readonly TrustEdge[] }) {
  return (
    <div class="reasons">
      <h3>What limits it</h3>
      <ul>
        {of.slice(0, MOST_PATHS).map((part, index) => (
          // The parts of a cut have no names.
          <li key={index}>
            <span class="strong">{score(part.capacity)}</span> {limitWords(part, edges)}
          </li>
        ))}
      </ul>
      {of.length > MOST_PATHS && <p class="dim">and {counted(of.length - MOST_PATHS, 'more limit')}</p>}
    </div>
  )
}

function limitWords({ limit, vouch_id, human_ref }: CutPart, edges: readonly TrustEdge[]): string {
  const who = human_ref === undefined ? 'a person' : nameOfSubject(human_ref)
  if (limit === 'base') return `the base value of ${who}`
  if (limit === 'person') return `what ${who} can pass on`
  const edge = edges.find((one) => one.vouch_id === vouch_id)
  if (edge === undefined) return 'a vouch'
  return `the vouch of ${nameOfSubject(edge.from)} for ${nameOfSubject(edge.to)}`
}

function SelectedSubject({
  id,
  graph,
}: {
  readonly id: string
  readonly graph: GetTrustGraphAnswer | undefined
}) {
  const selected = shownAddress.value.query.get('selected')
  const node = graph?.nodes.find(({ subject }) => subject === selected)
  if (graph === undefined || node === undefined || node.subject === id) return null
  const given = graph.edges.filter(({ from }) => from === node.subject).length
  const got = graph.edges.filter(({ to }) => to === node.subject).length
  return (
    <Card title={nameOfSubject(node.subject)} kind="side">
      <FactList
        of={[
          ['Anchor', node.base === undefined ? 'no' : `own weight ${score(node.base)}`],
          ['Away', counted(node.steps, 'step')],
          ['Gives', counted(given, 'vouch', 'vouches')],
          ['Gets', counted(got, 'vouch', 'vouches')],
        ]}
      />
      <div class="buttons">
        <a class="button" href={trustPlace(node.subject)}>
          Show its graph
        </a>
      </div>
    </Card>
  )
}

function Vouches({
  id,
  isPerson,
  changed,
}: {
  readonly id: string
  readonly isPerson: boolean
  readonly changed: () => void
}) {
  return (
    <>
      <VouchList title={`Vouches for ${nameOfSubject(id)}`} input={{ to: id }} changed={changed} />
      {isPerson && (
        <VouchList title={`Vouches of ${nameOfSubject(id)}`} input={{ from: id }} changed={changed} />
      )}
    </>
  )
}

function VouchList({
  title,
  input,
  changed,
}: {
  readonly title: string
  readonly input: { readonly to: string } | { readonly from: string }
  readonly changed: () => void
}) {
  const list = usePages('listVouches', { ...input, standing: 'true', limit: 20 })
  const reload = () => {
    list.reload()
    changed()
  }
  return (
    <Card title={title} kind="flush">
      <Shown of={list}>
        {(vouches) =>
          vouches.length === 0 ? (
            <Empty title="None.">A vouch appears here while it counts.</Empty>
          ) : (
            <VouchTable vouches={vouches} without={'to' in input ? 'to' : 'from'} reload={reload} />
          )
        }
      </Shown>
    </Card>
  )
}
