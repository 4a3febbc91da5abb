import { useEffect } from 'preact/hooks'
import { Empty, ScreenFrame } from './parts/basics.tsx'
import { lazyScreen, type ScreenView } from './parts/lazy.tsx'
import { Veil } from './parts/veil.tsx'
import { navigate, shownAddress } from './router.ts'
import { ActionScreen } from './screens/actions/action.tsx'
import { AgentScreen } from './screens/agents/agent.tsx'
import { Agents } from './screens/agents/agents.tsx'
import { ApprovalPage, Approvals } from './screens/approvals/approvals.tsx'
import { DenialPage, DenialsScreen } from './screens/denials/denials.tsx'
import { Live } from './screens/live/live.tsx'
import { Overview } from './screens/overview/overview.tsx'
import { TokensScreen } from './screens/tokens/tokens.tsx'
import { Help } from './shell/help.tsx'
import { Palette } from './shell/palette.tsx'
import { RowActions } from './shell/row-actions.tsx'
import { can } from './shell/session.ts'
import { Shell } from './shell/shell.tsx'
import { SignInPanel } from './shell/sign-in.tsx'

const AccessScreen = lazyScreen(async () => (await import('./screens/access/index.ts')).AccessScreen)
const AuditScreen = lazyScreen(async () => (await import('./screens/audit/audit.tsx')).AuditScreen)
const HealthScreen = lazyScreen(async () => (await import('./screens/health/health.tsx')).HealthScreen)
const LogScreen = lazyScreen(async () => (await import('./screens/log/log.tsx')).Log)
const PeopleScreen = lazyScreen(async () => (await import('./screens/people/index.ts')).PeopleScreen)
const PersonScreen = lazyScreen(async () => (await import('./screens/people/index.ts')).PersonScreen)
const TokenScreen = lazyScreen(async () => (await import('./screens/tokens/token.tsx')).TokenScreen)
const TrustScreen = lazyScreen(async () => (await import('./screens/trust/index.ts')).TrustScreen)
const TrustGraphScreen = lazyScreen(async () => (await import('./screens/trust/index.ts')).TrustGraphScreen)
const Workflows = lazyScreen(async () => (await import('./screens/workflows/workflows.tsx')).Workflows)
const WorkflowScreen = lazyScreen(
  async () => (await import('./screens/workflows/workflow.tsx')).WorkflowScreen,
)

/** The screen for each address. */
const ROUTES: readonly (readonly [RegExp, ScreenView])[] = [
  [/^\/app$/, Landing],
  [/^\/app\/approvals$/, Approvals],
  [/^\/app\/approvals\/([^/]+)$/, ApprovalPage],
  [/^\/app\/live$/, Live],
  [/^\/app\/agents$/, Agents],
  [/^\/app\/agents\/([^/]+)$/, AgentScreen],
  [/^\/app\/workflows$/, Workflows],
  [/^\/app\/workflows\/([^/]+)$/, WorkflowScreen],
  [/^\/app\/tokens$/, TokensScreen],
  [/^\/app\/tokens\/([^/]+)$/, TokenScreen],
  [/^\/app\/actions\/([^/]+)$/, ActionScreen],
  [/^\/app\/denials$/, DenialsScreen],
  [/^\/app\/denials\/([^/]+)$/, DenialPage],
  [/^\/app\/log$/, LogScreen],
  [/^\/app\/audit$/, AuditScreen],
  [/^\/app\/people$/, PeopleScreen],
  [/^\/app\/people\/([^/]+)$/, PersonScreen],
  [/^\/app\/health$/, HealthScreen],
  [/^\/app\/access$/, AccessScreen],
  [/^\/app\/trust$/, TrustScreen],
  [/^\/app\/trust\/([^/]+)$/, TrustGraphScreen],
]

export function App() {
  return (
    <>
      <Shell>
        <CurrentScreen />
      </Shell>
      <Palette />
      <Help />
      <RowActions />
      <SignInPanel />
    </>
  )
}

/** Shows the overview, or the approvals to people, who may not see the overview of all agents. */
function Landing() {
  const isOverview = can('getStats')
  useEffect(() => {
    if (!isOverview) navigate('/app/approvals', { replace: true })
  }, [isOverview])
  return isOverview ? <Overview /> : null
}

function CurrentScreen() {
  const { path } = shownAddress.value
  for (const [pattern, View] of ROUTES) {
    const match = pattern.exec(path)
    if (match !== null)
      return (
        <Veil key={path}>
          <View id={decodeURIComponent(match[1] ?? '')} />
        </Veil>
      )
  }
  return (
    <Veil key={path}>
      <Unknown />
    </Veil>
  )
}

function Unknown() {
  return (
    <ScreenFrame title="Nothing here">
      <Empty title="This page doesn’t exist.">
        Press <kbd>Ctrl K</kbd> to go to a screen, an agent or any ID, or open the <a href="/app">overview</a>
        .
      </Empty>
    </ScreenFrame>
  )
}
