import { type ComponentChildren, Fragment } from 'preact'
import { useEffect } from 'preact/hooks'
import { problemText } from '../api/client.ts'
import { openReads } from '../api/load.ts'
import { type LiveState, liveState } from '../live/feed.ts'
import { type NoticeState, noticeState, toggleNotices } from '../live/notices.ts'
import { useWaitingRequests } from '../live/waiting.ts'
import { doAndTell, Toast, tell } from '../parts/toast.tsx'
import { shownAddress } from '../router.ts'
import { numberText } from '../words/money.ts'
import { openHelp } from './help.tsx'
import { openPalette } from './palette.tsx'
import { PLACES } from './places.ts'
import { can, me, signOut } from './session.ts'
import { nextTheme, theme } from './theme.ts'

/** The frame around every screen: the rail, or tabs on a phone, and the bar with what is always available. */
export function Shell({ children }: { readonly children: ComponentChildren }) {
  const waiting = useWaitingRequests(can('listApprovals'))
  // The title of the browser tab shows it too.
  useEffect(() => {
    document.title = `${waiting === 0 ? '' : `(${waiting}) `}${screenWord()} · Deputy`
  })
  return (
    <>
      <a class="skip" href="#main">
        Skip to content
      </a>
      <nav class="rail" aria-label="Screens">
        <a class="brand" href="/app">
          Deputy
        </a>
        {PLACES.filter(({ needs }) => can(needs)).map((one, index, all) => (
          <Fragment key={one.href}>
            {one.group !== 'work' && all[index - 1]?.group !== one.group && (
              <p class="rail-group">{GROUP_WORDS[one.group]}</p>
            )}
            <RailLink {...one} waiting={one.href === '/app/approvals' ? waiting : 0} />
          </Fragment>
        ))}
      </nav>
      <div class="column">
        <TopBar />
        <Main>{children}</Main>
      </div>
      <Tabs waiting={waiting} />
      <Toast />
    </>
  )
}

/** The target of the skip link. Busy while a read of its screen has no answer yet. */
function Main({ children }: { readonly children: ComponentChildren }) {
  return (
    <main id="main" tabIndex={-1} aria-busy={openReads.value > 0}>
      {children}
    </main>
  )
}

const GROUP_WORDS = { proof: 'Proof', rule: 'Rules' } as const

function screenWord(): string {
  const { path } = shownAddress.value
  return PLACES.findLast(({ href }) => isAt(path, href))?.word ?? 'Dashboard'
}

function isAt(path: string, href: string): boolean {
  return href === '/app' ? path === href : path === href || path.startsWith(`${href}/`)
}

function RailLink({
  href,
  word,
  icon,
  waiting,
}: {
  readonly href: string
  readonly word: string
  readonly icon: string
  readonly waiting: number
}) {
  const isCurrent = isAt(shownAddress.value.path, href)
  return (
    <a href={href} {...(isCurrent && { 'aria-current': 'page' as const })}>
      <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
        <path d={icon} />
      </svg>
      <span>{word}</span>
      {waiting > 0 && (
        <span class="badge">
          {numberText(waiting)}
          <span class="sr"> waiting</span>
        </span>
      )}
    </a>
  )
}

const TABS = ['/app/approvals', '/app/live', '/app/agents'] as const

function Tabs({ waiting }: { readonly waiting: number }) {
  const tabs = TABS.flatMap((href) => PLACES.filter((one) => one.href === href && can(one.needs)))
  return (
    <nav class="tabs" aria-label="Screens on a phone">
      {tabs.map((one) => (
        <RailLink key={one.href} {...one} waiting={one.href === '/app/approvals' ? waiting : 0} />
      ))}
      <button type="button" onClick={openPalette}>
        <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
          <path d="M2 4h12M2 8h12M2 12h12" />
        </svg>
        <span>More</span>
      </button>
    </nav>
  )
}

const LIVE_WORDS: Readonly<Record<LiveState, string>> = {
  starting: 'Connecting',
  live: 'Live',
  polling: 'Live, with a delay',
  offline: 'Offline: trying again',
}

const THEME_WORDS = { system: 'Theme of the system', light: 'Light theme', dark: 'Dark theme' } as const

function TopBar() {
  const state = liveState.value
  return (
    <header class="top">
      <button type="button" class="search" onClick={openPalette}>
        <span class="wide">Go to a screen, an agent or any ID</span>
        <span class="narrow">Go to…</span>
        <kbd>Ctrl K</kbd>
      </button>
      <span class={`live ${state}`} role="status">
        <span class="dot" aria-hidden="true" />
        {LIVE_WORDS[state]}
      </span>
      {me.value?.session_id !== undefined && (
        <details class="menu">
          <summary>{me.value.role === 'human' ? 'You' : me.value.name}</summary>
          <div>
            <span class="dim">
              {me.value.role}, {me.value.tenant_id}
            </span>
            {me.value.role === 'human' && <a href="/me">Your agents</a>}
            {can('listKeyPasskeys') && <a href="/app/access?tab=passkeys">Passkeys</a>}
            <button type="button" onClick={() => void signOut().catch((error) => tell(problemText(error)))}>
              Sign out
            </button>
          </div>
        </details>
      )}
      <NoticeButton />
      <button type="button" class="quiet" onClick={nextTheme} title={THEME_WORDS[theme.value]}>
        <span aria-hidden="true">{theme.value === 'dark' ? '☾' : theme.value === 'light' ? '☀' : '◐'}</span>
        <span class="sr">{THEME_WORDS[theme.value]}: change</span>
      </button>
      <button type="button" class="quiet" onClick={openHelp} title="Keyboard help">
        <span aria-hidden="true">?</span>
        <span class="sr">Keyboard help</span>
      </button>
    </header>
  )
}

const NOTICE_WORDS: Readonly<Record<Exclude<NoticeState, 'none'>, string>> = {
  on: 'Desktop notices are on: turn off',
  off: 'Turn desktop notices on',
  blocked: 'Desktop notices are blocked by the browser',
}

/** Asks for permission to show notices. Hidden for callers who can't list requests. */
function NoticeButton() {
  const state = noticeState.value
  if (state === 'none' || !can('listApprovals')) return null
  return (
    <button
      type="button"
      class={`quiet notices ${state}`}
      aria-pressed={state === 'on'}
      title={NOTICE_WORDS[state]}
      onClick={() => void doAndTell(toggleNotices)}
    >
      <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
        <path d={state === 'on' ? BELL : `${BELL}M2.5 13.5l11-11`} />
      </svg>
      <span class="sr">{NOTICE_WORDS[state]}</span>
    </button>
  )
}

const BELL = 'M4 11V7a4 4 0 0 1 8 0v4l1 1.5H3zM6.8 14.5h2.4'
