import type {
  EvaluatePoliciesAnswer,
  ListPoliciesAnswer,
  TokenView,
} from '../../../../sdk/node/src/generated/operations.ts'
import { callService } from '../../api/client.ts'
import { useLoad, useRead } from '../../api/load.ts'
import { Card, Choices, Empty, Mark, Shown } from '../../parts/basics.tsx'
import { FilterInput } from '../../parts/filters.tsx'
import { setQuery, shownAddress } from '../../router.ts'
import { nameOfAgent } from '../../words/agent-names.ts'
import { agentWord, idPlace, shortId } from '../../words/ids.ts'
import { counted } from '../../words/money.ts'
import { type PolicyMatrix, policyMatrix } from './policy-matrix.ts'

type PolicyName = ListPoliciesAnswer['data'][number]['name']

const MOST_COLUMNS = 6

/** Shows which tokens meet which rules of a policy. */
export function PoliciesTab() {
  const policies = useLoad('listPolicies', {}, { live: false })
  const wanted = shownAddress.value.query.get('policy')
  return (
    <Shown of={policies}>
      {({ data }) => {
        const chosen = data.find(({ name }) => name === wanted) ?? data[0]
        if (chosen === undefined) return <Empty title="No policies.">This service has none.</Empty>
        return (
          <>
            <div class="filters">
              <Choices
                label="Policy"
                of={data.map(({ name }) => [name, name.replaceAll('_', ' ')] as const)}
                chosen={chosen.name}
                choose={(value) => setQuery({ policy: value === data[0]?.name ? undefined : value })}
              />
              <FilterInput label="Filter tokens by agent or purpose" placeholder="Agent or purpose" />
            </div>
            <Card title={chosen.title} kind="flush">
              <p class="card-text dim">{chosen.note}</p>
              <TokenColumns key={chosen.name} policy={chosen.name} />
            </Card>
          </>
        )
      }}
    </Shown>
  )
}

function TokenColumns({ policy }: { readonly policy: PolicyName }) {
  const q = shownAddress.value.query.get('q') ?? ''
  const tokens = useLoad(
    'listTokens',
    { status: 'live', limit: MOST_COLUMNS, ...(q !== '' && { q }) },
    { live: false },
  )
  return (
    <Shown of={tokens}>
      {({ data, has_more }) =>
        data.length === 0 ? (
          <Empty title="No live token matches.">
            Each live token becomes a column that says which rules it meets.
          </Empty>
        ) : (
          <>
            <Evaluated policy={policy} tokens={data} />
            {has_more && (
              <p class="card-text dim">
                The newest {counted(MOST_COLUMNS, 'live token')} are compared. Filter to see others.
              </p>
            )}
          </>
        )
      }
    </Shown>
  )
}

function Evaluated({
  policy,
  tokens,
}: {
  readonly policy: PolicyName
  readonly tokens: readonly TokenView[]
}) {
  const jtis = tokens.map(({ jti }) => jti)
  const evaluated = useRead(
    JSON.stringify([policy, jtis]),
    async () => ({ tokens, matrix: policyMatrix(jtis, await evaluateAll(policy, jtis)) }),
    { live: false },
  )
  return <Shown of={evaluated}>{(data) => <MatrixTable {...data} />}</Shown>
}

function evaluateAll(policy: PolicyName, jtis: readonly string[]): Promise<EvaluatePoliciesAnswer[]> {
  return Promise.all(
    jtis.map((vat_jti) => callService('evaluatePolicies', { policy_assertions: [policy], vat_jti })),
  )
}

function MatrixTable({
  matrix,
  tokens,
}: {
  readonly matrix: PolicyMatrix
  readonly tokens: readonly TokenView[]
}) {
  return (
    // A table that scrolls must be reachable with the keyboard.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: see above
    <section class="scroll" tabIndex={0} aria-label="Rules and tokens">
      <table class="matrix">
        <caption class="sr">Rules of the policy and the tokens that meet them</caption>
        <thead>
          <tr>
            <th scope="col">Rule</th>
            {tokens.map(({ jti, agent_id }) => (
              <th key={jti} scope="col">
                <a href={idPlace(jti)} title={agentWord(agent_id)}>
                  {nameOfAgent(agent_id)}
                </a>
                <br />
                {shortId(jti)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {matrix.map(({ id, control, rule, cells }) => (
            <tr key={id} data-row>
              <td>
                {rule} <span class="dim">{control}</span>
              </td>
              {cells.map(({ jti, met, evidence }) => (
                <td key={jti} title={evidence}>
                  {met ? (
                    <Mark tone="done" shape="●" word="met" />
                  ) : (
                    <Mark tone="no" shape="✕" word="not met" />
                  )}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
