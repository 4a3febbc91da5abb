/** The first look at an empty service: a demo, the first token, and what is left to set up. */

import { Card, ScreenFrame } from '../../parts/basics.tsx'
import { lazyScreen } from '../../parts/lazy.tsx'
import { navigate, shownAddress } from '../../router.ts'
import { can, me } from '../../shell/session.ts'
import { isBeginning, isSetUpHidden } from './beginning.ts'
import { FirstTokenCard } from './first-token.tsx'
import { KeyedFirstToken } from './keyed-first-token.tsx'
import { SetUpCard } from './set-up-card.tsx'
import { Snippet } from './snippet.tsx'
import { guardConfiguration } from './snippets.ts'

const Demo = lazyScreen(async () => (await import('./demo.tsx')).Demo)

export function FirstRun() {
  const isDemo = shownAddress.value.query.get('demo') === '1'
  return (
    <ScreenFrame
      title="Welcome to Deputy"
      lead={
        isBeginning.value
          ? 'The first token is issued. Continue with any of these, or open the overview.'
          : 'Nothing is recorded yet. Start with one of these.'
      }
      aside={
        isBeginning.value && (
          <button type="button" onClick={goOn}>
            Open the overview
          </button>
        )
      }
    >
      {isDemo && <Demo id="" />}
      <div class="first-run">
        <div class="stack">
          {!isDemo && <DemoCard />}
          <FirstToken />
        </div>
        <div class="stack">
          {!isSetUpHidden.value && <SetUpCard isOpen />}
          <Card title="Guard an MCP server">
            <p>
              The guard asks Deputy before each tool call and records the outcome. Put it in front of the
              server's command in the configuration of your MCP client.
            </p>
            <Snippet
              text={guardConfiguration(location.origin, me.value?.role === 'local' ? 'open' : 'keyed')}
            />
            <p>
              Use full paths: MCP clients start servers from any folder.{' '}
              <a href="/guides/mcp#use-it-in-a-desktop-client">How to install the guard</a>
            </p>
          </Card>
        </div>
      </div>
    </ScreenFrame>
  )
}

function goOn(): void {
  isBeginning.value = false
  navigate('/app')
}

function DemoCard() {
  return (
    <Card title="See it at work">
      <p>
        Three agents plan a trip: one is denied, one asks you for $149.90, and you can stop it. The demo runs
        in your browser and leaves nothing in your log.
      </p>
      <div class="buttons">
        <a class="button" href="/app?demo=1">
          Play the demo
        </a>
      </div>
    </Card>
  )
}

function FirstToken() {
  if (me.value?.role === 'local') return <FirstTokenCard />
  if (can('createKey') || can('issueL1')) return <KeyedFirstToken />
  return (
    <Card title="No token yet">
      <p>A developer of your tenant issues the first one. This page updates when it arrives.</p>
    </Card>
  )
}
