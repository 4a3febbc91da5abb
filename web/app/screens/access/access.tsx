import type { ComponentType } from 'preact'
import type { OperationId } from '../../../../sdk/node/src/generated/operations.ts'
import { Choices, ScreenFrame } from '../../parts/basics.tsx'
import { setQuery, shownAddress } from '../../router.ts'
import { can, me } from '../../shell/session.ts'
import { AlertRulesTab } from './alert-rules.tsx'
import { KeysTab } from './keys.tsx'
import { PasskeysTab } from './passkeys.tsx'
import { PoliciesTab } from './policies.tsx'
import { SecurityEventsTab } from './security-events.tsx'
import { SessionsTab } from './sessions.tsx'
import { TenantsTab } from './tenants.tsx'
import { WebhooksTab } from './webhooks.tsx'

const TABS: readonly (readonly [string, string, OperationId, ComponentType])[] = [
  ['keys', 'Keys', 'listKeys', KeysTab],
  ['passkeys', 'Passkeys', 'listKeyPasskeys', PasskeysTab],
  ['sessions', 'Sessions', 'listSignIns', SessionsTab],
  ['tenants', 'Tenants', 'listTenants', TenantsTab],
  ['policies', 'Policies', 'listPolicies', PoliciesTab],
  ['webhooks', 'Webhooks', 'listWebhooks', WebhooksTab],
  ['alerts', 'Alert rules', 'listAlertRules', AlertRulesTab],
  ['security', 'Refused calls', 'listSecurityEvents', SecurityEventsTab],
]

/** Tabs whose contents matter only in keyed mode. */
const KEYED_TABS: readonly string[] = ['keys', 'passkeys', 'sessions', 'tenants', 'security']

/** Who may call, under which rules, and who is notified. */
export function AccessScreen() {
  const allowed = TABS.filter(([, , needs]) => can(needs))
  const wanted = shownAddress.value.query.get('tab')
  const chosen = allowed.find(([tab]) => tab === wanted) ?? allowed[0]
  if (chosen === undefined) return null
  const [tab, , , View] = chosen
  return (
    <ScreenFrame
      title="Keys & policies"
      lead="Who can call the service, under which rules, and who is notified."
    >
      {me.value?.role === 'local' && KEYED_TABS.includes(tab) && (
        <p class="notice">
          In open mode every program on this machine can make any call. Keys, sessions and tenants take effect
          once you start the service in keyed mode.
        </p>
      )}
      <Choices
        label="Part"
        of={allowed.map(([name, word]) => [name, word] as const)}
        chosen={tab}
        choose={(value) => setQuery({ tab: value === allowed[0]?.[0] ? undefined : value, q: undefined })}
      />
      <View />
    </ScreenFrame>
  )
}
