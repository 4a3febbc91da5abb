import { useState } from 'preact/hooks'
import type { StoredScope, TokenView } from '../../../../sdk/node/src/generated/operations.ts'
import { callService } from '../../api/client.ts'
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
import { Gauge } from '../../parts/gauge.tsx'
import { useAll } from '../../parts/pages.tsx'
import { RevokeToken } from '../../parts/stop-dialogs.tsx'
import { tell } from '../../parts/toast.tsx'
import { navigate } from '../../router.ts'
import { can } from '../../shell/session.ts'
import { nameOfAgent } from '../../words/agent-names.ts'
import { idPlace } from '../../words/ids.ts'
import { counted, numberText, usd } from '../../words/money.ts'
import { tokenOutcome } from '../../words/outcome.ts'
import { TokenTreePicture } from './token-tree-picture.tsx'

const MOST_TOKENS = 2000

export function TokenScreen({ id }: { readonly id: string }) {
  const one = useLoad('getToken', { jti: id })
  return (
    <Shown of={one} screen="Token">
      {(token) => <TokenPage token={token} reload={one.reload} />}
    </Shown>
  )
}

function TokenPage({ token, reload }: { readonly token: TokenView; readonly reload: () => void }) {
  const branch = useAll('listTokens', { provenance_ref: token.provenance_ref }, MOST_TOKENS)
  return (
    <ScreenFrame
      title={token.purpose ?? `Token of ${nameOfAgent(token.agent_id)}`}
      lead={
        <span class="lead-line">
          <OutcomeMark name={tokenOutcome(token.status)} />
          <AgentLink agent_id={token.agent_id} />
          <span>
            expires <When at={token.expires_at} />
          </span>
          <Id id={token.jti} />
        </span>
      }
      aside={<TokenButtons token={token} reload={reload} />}
    >
      <div class="pair">
        <Card title="Limits">
          <FactList of={limitsOf(token)} />
        </Card>
        <ScopeCard token={token} />
      </div>
      <Shown of={branch}>
        {(tokens) => (
          <TokenTreePicture
            title="In its workflow"
            tokens={tokens}
            isPartial={branch.isCut}
            selected={token.jti}
            select={(jti) => navigate(idPlace(jti))}
          />
        )}
      </Shown>
    </ScreenFrame>
  )
}

function TokenButtons({ token, reload }: { readonly token: TokenView; readonly reload: () => void }) {
  const [deed, setDeed] = useState<'revoke' | 'suspend' | 'resume'>()
  const { jti, status } = token
  const close = () => setDeed(undefined)
  const change = async (reason: string | undefined) => {
    if (deed === 'resume') await callService('resumeToken', { jti })
    else await callService('suspendToken', { jti, ...(reason !== undefined && { reason }) })
    tell(deed === 'resume' ? 'The token works again.' : 'The token is suspended.')
    reload()
  }
  return (
    <>
      {status === 'live' && can('suspendToken') && (
        <button type="button" onClick={() => setDeed('suspend')}>
          Suspend…
        </button>
      )}
      {status === 'suspended' && can('resumeToken') && (
        <button type="button" onClick={() => setDeed('resume')}>
          Resume…
        </button>
      )}
      {status !== 'revoked' && can('revokeToken') && (
        <button type="button" class="danger" onClick={() => setDeed('revoke')}>
          Revoke…
        </button>
      )}
      {deed === 'revoke' && <RevokeToken token={token} close={close} done={reload} />}
      {(deed === 'suspend' || deed === 'resume') && (
        <Confirm
          title={deed === 'suspend' ? 'Suspend this token?' : 'Resume this token?'}
          verb={deed === 'suspend' ? 'Suspend' : 'Resume'}
          isDangerous={deed === 'suspend'}
          {...(deed === 'suspend' && { noteLabel: 'Reason (optional)' })}
          run={change}
          close={close}
        >
          <p>
            {deed === 'suspend'
              ? 'The token, the one that it renews and all tokens below them stop working until it is resumed.'
              : 'The token, those that it renews and the tokens below them work again.'}
          </p>
        </Confirm>
      )}
    </>
  )
}

function limitsOf(token: TokenView): (readonly [string, preact.ComponentChildren])[] {
  const { budget, tightest } = token
  const own = budget ?? tightest
  return [
    ['Budget', <Gauge key="budget" of={tightest ?? budget} />],
    ...(own === undefined
      ? []
      : [
          [
            'Spent',
            `${usd(own.spent_usd)} of ${usd(own.allocated_usd)}, ${usd(own.reserved_usd)} reserved`,
          ] as const,
        ]),
    ['Actions', numberText(token.total_actions)],
    ['Person verified', token.assurance_level],
    ['Depth', numberText(token.delegation_depth)],
    ['Issued', <When key="issued" at={token.issued_at} />],
    ...(token.revoke_reason === undefined ? [] : [['Revoked because', token.revoke_reason] as const]),
    ...(token.suspend_reason === undefined ? [] : [['Suspended because', token.suspend_reason] as const]),
    [
      'Workflow',
      <a key="workflow" href={idPlace(token.provenance_ref)}>
        Open workflow
      </a>,
    ],
  ]
}

/** What the token grants, and which parts were never used. */
function ScopeCard({ token: { jti } }: { readonly token: TokenView }) {
  const usage = useLoad('getTokenUsage', can('getTokenUsage') ? { jti } : undefined)
  return (
    <Card title="Granted and used">
      <Shown of={usage}>
        {({ granted, unused, records_seen }) =>
          granted.actions.length === 0 ? (
            <Empty title="Nothing is granted.">A token without actions allows nothing.</Empty>
          ) : (
            <>
              <div class="scope">
                <ScopeColumn
                  title="Actions"
                  of={granted.actions}
                  unused={struck(unused.actions, records_seen)}
                />
                <ScopeColumn
                  title="Resources"
                  of={granted.resources}
                  unused={struck(unused.resources, records_seen)}
                />
              </div>
              <p class="dim">{useWords(unused, records_seen)}</p>
            </>
          )
        }
      </Shown>
    </Card>
  )
}

/** Nothing is struck out before the first action: a new token would look as if it allowed nothing. */
function struck(unused: readonly string[], records_seen: number): readonly string[] {
  return records_seen === 0 ? [] : unused
}

function useWords(unused: StoredScope, records_seen: number): string {
  if (records_seen === 0) return 'No actions yet, so nothing has been used.'
  const seen = counted(records_seen, 'action')
  return unused.actions.length + unused.resources.length === 0
    ? `All of it was used, in ${seen}.`
    : `Crossed out: never used in ${seen}. A narrower token would have been enough.`
}

function ScopeColumn({
  title,
  of,
  unused,
}: {
  readonly title: string
  readonly of: StoredScope['actions']
  readonly unused: readonly string[]
}) {
  return (
    <div>
      <h3>{title}</h3>
      <ul>
        {of.map((one) => (
          <li key={one}>
            {unused.includes(one) ? (
              <>
                <s>{one}</s>
                <span class="sr"> never used</span>
              </>
            ) : (
              one
            )}
          </li>
        ))}
      </ul>
    </div>
  )
}
