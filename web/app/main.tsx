/** The dashboard at /app. */
import { render } from 'preact'
import { App } from './app.tsx'
import './style/tokens.css'
import './style/app.css'
import { startFeed } from './live/feed.ts'
import { startRouter } from './router.ts'
import { startKeys } from './shell/keys.ts'
import { readSession } from './shell/session.ts'
import { applyTheme } from './shell/theme.ts'

const home = document.getElementById('app')
if (home === null) throw new Error('The page has no place for the dashboard.')
applyTheme()
startRouter()
startKeys()
// Without a session the first call asks for one.
await readSession().catch(() => undefined)
render(<App />, home)
void startFeed()
