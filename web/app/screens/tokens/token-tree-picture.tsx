import type { TokenView } from '../../../../sdk/node/src/generated/operations.ts'
import { PictureFrame } from '../../pictures/picture.tsx'
import { TokenTreeView } from '../../pictures/token-tree-view.tsx'
import { nameOfAgent } from '../../words/agent-names.ts'
import { agentWord, idPlace } from '../../words/ids.ts'
import { counted, usd } from '../../words/money.ts'
import { OUTCOMES, tokenOutcome } from '../../words/outcome.ts'

export function TokenTreePicture({
  title,
  tokens,
  isPartial,
  selected,
  select,
}: {
  readonly title: string
  readonly tokens: readonly TokenView[]
  readonly isPartial: boolean
  readonly selected: string | undefined
  readonly select: (jti: string) => void
}) {
  return (
    <PictureFrame
      name="tree"
      title={title}
      summary={`${counted(tokens.length, 'token')}, ${tokens.filter(({ status }) => status === 'live').length} live.`}
      twin={{
        columns: ['Agent', 'State', 'Depth', 'Left'],
        rows: tokens.map(({ jti, agent_id, status, delegation_depth, tightest }) => [
          <a key={jti} href={idPlace(jti)} title={agentWord(agent_id)}>
            {nameOfAgent(agent_id)}
          </a>,
          OUTCOMES[tokenOutcome(status)].word,
          delegation_depth,
          tightest === undefined ? 'no limit' : usd(tightest.remaining_usd),
        ]),
      }}
    >
      {isPartial && <p class="notice">The first {counted(tokens.length, 'token')} are shown.</p>}
      <TokenTreeView tokens={tokens} selected={selected} select={select} />
    </PictureFrame>
  )
}
