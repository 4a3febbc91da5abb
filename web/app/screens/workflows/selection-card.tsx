import type { ComponentChildren } from 'preact'
import type { ActionRecord, TokenView } from '../../../../sdk/node/src/generated/operations.ts'
import { AgentLink, Card, FactList, OutcomeMark, When } from '../../parts/basics.tsx'
import { idPlace } from '../../words/ids.ts'
import { score, usd } from '../../words/money.ts'
import { OUTCOMES, RATING_OUTCOMES, recordOutcome, tokenOutcome } from '../../words/outcome.ts'

/** The facts about the selected token or action. */
export function SelectionCard({
  token,
  record,
}: {
  readonly token: TokenView | undefined
  readonly record: ActionRecord | undefined
}) {
  if (token === undefined && record === undefined)
    return (
      <Card title="Selection" kind="side">
        <p class="dim">
          Choose a token or an action in the picture. The selection stays when you change the picture.
        </p>
      </Card>
    )
  const facts: (readonly [string, ComponentChildren])[] = []
  if (record !== undefined)
    facts.push(
      ['Action', `${record.action} ${record.resource}`],
      ['Outcome', <OutcomeMark key="outcome" name={recordOutcome(record)} />],
      ['Spent', usd(record.spend_usd)],
      ['Trust score', score(record.trust_score)],
      ['When', <When key="when" at={record.created_at} />],
      ...(record.rating === undefined
        ? []
        : [['Rating', OUTCOMES[RATING_OUTCOMES[record.rating]].word] as const]),
    )
  if (token !== undefined)
    facts.push(
      ['Agent', <AgentLink key="agent" agent_id={token.agent_id} />],
      ['Token', <OutcomeMark key="state" name={tokenOutcome(token.status)} />],
      ['May do', token.claims.svc_scope.actions.join(', ')],
      ['On', token.claims.svc_scope.resources.join(', ')],
      ['Left', token.tightest === undefined ? 'no limit' : usd(token.tightest.remaining_usd)],
      ['Expires', <When key="expires" at={token.expires_at} />],
    )
  return (
    <Card title="Selection" kind="side">
      <FactList of={facts} />
      <div class="buttons">
        {record !== undefined && (
          <a class="button" href={idPlace(record.aar_id)}>
            Open action
          </a>
        )}
        {token !== undefined && (
          <a class="button" href={idPlace(token.jti)}>
            Open token
          </a>
        )}
      </div>
    </Card>
  )
}
