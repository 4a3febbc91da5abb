/** The small parts that screens are made of. */
import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { LinkedPage } from '../api/client.ts'
import { useNow } from '../api/load.ts'
import { nameOfAgent, shortName } from '../words/agent-names.ts'
import { agentPlace, agentWord, shortId } from '../words/ids.ts'
import { OUTCOMES, type OutcomeName, type OutcomeWords } from '../words/outcome.ts'
import { clockTime, localTime, relativeTime } from '../words/time.ts'
import { tell } from './toast.tsx'

/** A state, by word, shape and colour: never by colour alone. */
export function Mark({ tone, shape, word }: OutcomeWords) {
  return (
    <span class={`outcome ${tone}`}>
      <span aria-hidden="true">{shape}</span> {word}
    </span>
  )
}

export function OutcomeMark({ name }: { readonly name: OutcomeName }) {
  return <Mark {...OUTCOMES[name]} />
}

/** An ID. Only its ends are shown; a click copies all of it. */
export function Id({ id }: { readonly id: string }) {
  return (
    <button
      type="button"
      class="id"
      title={id}
      onClick={(event) => {
        event.preventDefault()
        event.stopPropagation()
        copy(id)
      }}
    >
      <span class="sr">Copy </span>
      {shortId(id)}
    </button>
  )
}

export async function copy(text: string, what = 'Copied'): Promise<void> {
  try {
    await navigator.clipboard.writeText(text)
    tell(what)
  } catch {
    tell('Your browser does not allow copying here.')
  }
}

export function When({ at, exact = false }: { readonly at: string | undefined; readonly exact?: boolean }) {
  const now = useNow()
  if (at === undefined) return <span class="dim">never</span>
  return (
    <time dateTime={at} title={localTime(at)}>
      {exact ? clockTime(at) : relativeTime(at, now)}
    </time>
  )
}

export function AgentLink({
  agent_id,
  name,
}: {
  readonly agent_id: string
  readonly name?: string | undefined
}) {
  const word = agentWord(agent_id)
  const whole = nameOfAgent(agent_id, name)
  const shown = shortName(whole)
  return (
    <a class="agent" href={agentPlace(agent_id)} title={shown === whole ? word : `${whole}, ${word}`}>
      {shown}
    </a>
  )
}

export function Card({
  title,
  aside,
  children,
  kind = '',
}: {
  readonly title?: ComponentChildren
  readonly aside?: ComponentChildren
  readonly children: ComponentChildren
  readonly kind?: string
}) {
  return (
    <section class={`card ${kind}`}>
      {title !== undefined && (
        <header>
          <h2>{title}</h2>
          {aside}
        </header>
      )}
      {children}
    </section>
  )
}

/** A screen with its title and actions. */
export function ScreenFrame({
  title,
  lead,
  aside,
  children,
}: {
  readonly title: ComponentChildren
  readonly lead?: ComponentChildren
  readonly aside?: ComponentChildren
  readonly children: ComponentChildren
}) {
  return (
    <>
      <header class="screen-head">
        <div>
          <h1 tabIndex={-1}>{title}</h1>
          {lead !== undefined && <div class="lead">{lead}</div>}
        </div>
        {aside !== undefined && <div class="aside">{aside}</div>}
      </header>
      {children}
    </>
  )
}

/** Explains what will appear here, and how to get it. */
export function Empty({ title, children }: { readonly title: string; readonly children: ComponentChildren }) {
  return (
    <div class="empty">
      <p class="strong">{title}</p>
      <p>{children}</p>
    </div>
  )
}

const SKELETON_AFTER_MS = 300

/** Shows nothing at first: most answers arrive before anyone would notice. */
export function Loading({ rows = 4 }: { readonly rows?: number }) {
  const [isShown, show] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => show(true), SKELETON_AFTER_MS)
    return () => clearTimeout(timer)
  }, [])
  return (
    <div class="skeleton" role="status" aria-label="Loading">
      {isShown && Array.from({ length: rows }, (_, row) => <span key={row} />)}
    </div>
  )
}

/** Texts of the service name members and calls in backticks. */
function withCode(text: string): ComponentChildren {
  return text.split('`').map((part, index) => (index % 2 === 0 ? part : <code key={index}>{part}</code>))
}

export function ProblemBox({
  text,
  page,
  retry,
}: {
  readonly text: string
  /** Where the person can do what failed here. */
  readonly page?: LinkedPage | undefined
  readonly retry?: () => void
}) {
  return (
    <div class="problem" role="alert">
      <p>{withCode(text)}</p>
      {page !== undefined && (
        <a class="button" href={page.href}>
          {page.words}
        </a>
      )}
      {retry !== undefined && (
        <button type="button" onClick={retry}>
          Try again
        </button>
      )}
    </div>
  )
}

/** Shows an answer once it has arrived; until then, that it is loading, or the problem. */
export function Shown<T>({
  of: { data, problem, isLasting = false, reload },
  rows,
  screen,
  children,
}: {
  readonly of: {
    readonly data: T | undefined
    readonly problem: string | undefined
    readonly isLasting?: boolean
    readonly reload: () => void
  }
  readonly rows?: number
  /** The title of the screen, if the screen has none without an answer. */
  readonly screen?: string
  readonly children: (data: T) => ComponentChildren
}) {
  if (data === undefined && problem !== undefined) {
    const box = <ProblemBox text={problem} {...(!isLasting && { retry: reload })} />
    return screen === undefined ? box : <ScreenFrame title={screen}>{box}</ScreenFrame>
  }
  if (data === undefined) return <Loading {...(rows !== undefined && { rows })} />
  return (
    <>
      {problem !== undefined && <ProblemBox text={problem} retry={reload} />}
      {children(data)}
    </>
  )
}

/** In a list with several facts per row, a longer text gets its own row. */
const LONGEST_BESIDE = 60

/** Facts about one thing, as a list of names and values. */
export function FactList({ of }: { readonly of: readonly (readonly [string, ComponentChildren])[] }) {
  return (
    <dl class="facts">
      {of.map(([name, value]) => (
        <div key={name} class={typeof value === 'string' && value.length > LONGEST_BESIDE ? 'long' : ''}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

/** A row of choices. The address keeps the chosen one. */
export function Choices<T extends string>({
  label,
  of,
  chosen,
  choose,
}: {
  readonly label: string
  readonly of: readonly (readonly [T, string])[]
  readonly chosen: T
  readonly choose: (value: T) => void
}) {
  return (
    <fieldset class="choices">
      <legend class="sr">{label}</legend>
      {of.map(([value, word]) => (
        <button key={value} type="button" aria-pressed={value === chosen} onClick={() => choose(value)}>
          {word}
        </button>
      ))}
    </fieldset>
  )
}
