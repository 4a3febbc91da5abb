/** Dialogs that stop something. Each shows what would stop before it asks. */
import { useState } from 'preact/hooks'
import type { TokenView } from '../../../sdk/node/src/generated/operations.ts'
import { callService } from '../api/client.ts'
import { type Loaded, useRead } from '../api/load.ts'
import { can } from '../shell/session.ts'
import { nameOfAgent, shortName } from '../words/agent-names.ts'
import { agentWord } from '../words/ids.ts'
import { counted, usd } from '../words/money.ts'
import { Choices, FactList, Loading, ProblemBox } from './basics.tsx'
import { combined, type StopRadius, topmostHeld } from './blast-radius.ts'
import { Confirm } from './dialog.tsx'
import { tell } from './toast.tsx'

const MOST_PREVIEWS = 50

interface RadiusOfMany extends StopRadius {
  /** Whether there are more live tokens than were counted. */
  readonly isMore: boolean
}

type Holder = { readonly agent_id: string } | { readonly human_ref: string }

async function radiusOf(holder: Holder): Promise<RadiusOfMany> {
  const { data, has_more } = await callService('listTokens', {
    ...holder,
    status: 'live',
    limit: MOST_PREVIEWS,
  })
  const ancestors = new Map(
    await Promise.all(data.map(async (token) => [token.jti, await aboveToken(token)] as const)),
  )
  const previews = await Promise.all(
    topmostHeld(data, ancestors).map(({ jti }) => callService('previewRevocation', { vat_jti: jti })),
  )
  return { ...combined(previews), isMore: has_more }
}

async function aboveToken({ jti, parent_jti, delegation_depth }: TokenView): Promise<string[]> {
  if (parent_jti === undefined) return []
  if (delegation_depth === 1) return [parent_jti]
  const { data } = await callService('getTokenChain', { jti })
  return data.map((token) => token.jti).filter((above) => above !== jti)
}

/** Counts what would stop, when the dialog opens. Only informs: stopping never waits for it. */
function usePreview<Preview extends StopRadius>(of: string, read: () => Promise<Preview>) {
  return useRead(of, read, { live: false })
}

function Preview({
  of: { data, problem },
}: {
  readonly of: Pick<Loaded<StopRadius & { readonly isMore?: boolean }>, 'data' | 'problem'>
}) {
  if (problem !== undefined) return <ProblemBox text={`No preview: ${problem}`} />
  return data === undefined ? <Loading rows={3} /> : <Radius of={data} isMore={data.isMore ?? false} />
}

function Radius({ of, isMore }: { readonly of: StopRadius; readonly isMore: boolean }) {
  const atLeast = isMore ? 'at least ' : ''
  return (
    <FactList
      of={[
        ['Tokens that stop', `${atLeast}${counted(of.live_tokens, 'live token')}`],
        ['Agents', of.agents.length === 0 ? 'none' : of.agents.map((one) => nameOfAgent(one)).join(', ')],
        ['Open actions', `${atLeast}${counted(of.pending_records, 'action')}`],
        ['Freed', usd(of.reserved_usd)],
      ]}
    />
  )
}

/** Suspends an agent, or revokes all its tokens. */
export function StopAgent({
  agent_id,
  name,
  close,
  done,
}: {
  readonly agent_id: string
  readonly name: string
  readonly close: () => void
  readonly done: () => void
}) {
  const [way, setWay] = useState<'suspend' | 'revoke'>('suspend')
  const preview = usePreview(agent_id, () => radiusOf({ agent_id }))
  const isForGood = way === 'revoke'
  const run = async (reason: string | undefined) => {
    const input = { agent_id, ...(reason !== undefined && { reason }) }
    if (isForGood) await callService('revokeAgent', input)
    else await callService('suspendAgent', input)
    tell(isForGood ? `All tokens of ${name} are revoked.` : `${name} is suspended.`)
    done()
  }
  return (
    <Confirm
      title={`Stop ${name}?`}
      verb={isForGood ? `Revoke all tokens of ${shortName(name)}` : `Suspend ${shortName(name)}`}
      isDangerous
      noteLabel="Reason (optional)"
      run={run}
      close={close}
    >
      {can('revokeAgent') && (
        <Choices
          label="How to stop"
          of={[
            ['suspend', 'Suspend'],
            ['revoke', 'Revoke all tokens'],
          ]}
          chosen={way}
          choose={setWay}
        />
      )}
      {name !== agentWord(agent_id) && <p class="dim">Its ID is {agentWord(agent_id)}.</p>}
      <p>
        {isForGood
          ? 'Its tokens and all tokens below them stop working at once. This cannot be undone.'
          : 'Its tokens and all tokens below them stop working at once, until you resume it.'}
      </p>
      <Preview of={preview} />
    </Confirm>
  )
}

/** Revokes a token and everything below it. */
export function RevokeToken({
  token: { jti, agent_id },
  close,
  done,
}: {
  readonly token: TokenView
  readonly close: () => void
  readonly done: () => void
}) {
  const preview = usePreview(jti, async () =>
    combined([await callService('previewRevocation', { vat_jti: jti })]),
  )
  const name = nameOfAgent(agent_id)
  const run = async (reason: string | undefined) => {
    await callService('revokeToken', { vat_jti: jti, ...(reason !== undefined && { reason }) })
    tell('The token is revoked.')
    done()
  }
  return (
    <Confirm
      title={`Revoke this token of ${name}?`}
      verb={preview.data === undefined ? 'Revoke' : `Revoke ${counted(preview.data.live_tokens, 'token')}`}
      isDangerous
      noteLabel="Reason (optional)"
      run={run}
      close={close}
    >
      <p>
        The token, the one that it renews and all tokens below them stop working at once. This cannot be
        undone.
      </p>
      <Preview of={preview} />
    </Confirm>
  )
}

/** What revoking all tokens of a person would stop. */
export function PersonRadius({ human_ref }: { readonly human_ref: string }) {
  return <Preview of={usePreview(human_ref, () => radiusOf({ human_ref }))} />
}
