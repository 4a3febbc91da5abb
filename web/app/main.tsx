/** The dashboard at /app. */
import { render } from 'preact'
import { App } from './app.tsx'
import './style/tokens.css'
import './style/app.css'
import { askForSignIn } from './api/client.ts'
import { startNames } from './live/agent-names.ts'
import { startFeed } from './live/feed.ts'
import { startRouter } from './router.ts'
import { startKeys } from './shell/keys.ts'
import { readSession, watchSession } from './shell/session.ts'
import { applyTheme } from './shell/theme.ts'

const home = document.getElementById('app')
if (home === null) throw new Error('The page has no place for the dashboard.')
applyTheme()
startRouter()
startKeys()
startNames()
// The screen shows other failures, because its calls fail too.
await readSession().catch(askForSignIn)
render(<App />, home)
watchSession(askForSignIn)
void startFeed()
