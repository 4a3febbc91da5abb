/** The fields that describe what the first token allows. */
import { useState } from 'preact/hooks'
import { type FormState, TextField } from '../../parts/form.tsx'
import { listedWords } from '../../words/word-list.ts'
import type { FirstToken } from './snippets.ts'

export interface TokenDraft {
  readonly email: string
  readonly agent_id: string
  readonly resources: string
  readonly actions: string
  readonly budget: string
}

export const TOKEN_POINTERS = [
  '/developer_email',
  '/agent_id',
  '/resources',
  '/actions',
  '/constraints/max_spend_usd',
] as const

const FIRST_DRAFT: TokenDraft = {
  email: 'dev@example.com',
  agent_id: 'calendar-bot',
  resources: 'calendar:events',
  actions: 'read, write',
  budget: '',
}

/** The draft, and the token that it describes. */
export function useTokenDraft() {
  const [draft, setDraft] = useState(FIRST_DRAFT)
  const token: FirstToken = {
    developer_email: draft.email.trim(),
    agent_id: draft.agent_id.trim(),
    resources: listedWords(draft.resources),
    actions: listedWords(draft.actions),
    max_spend_usd: amountOf(draft.budget),
  }
  return {
    draft,
    token,
    change: (part: Partial<TokenDraft>) => setDraft((before) => ({ ...before, ...part })),
  }
}

export function TokenFields({
  draft,
  change,
  of,
}: {
  readonly draft: TokenDraft
  readonly change: (part: Partial<TokenDraft>) => void
  readonly of: FormState
}) {
  return (
    <>
      <TextField
        label="Your email"
        pointer="/developer_email"
        inputMode="email"
        of={of}
        value={draft.email}
        set={(email) => change({ email })}
      />
      <TextField
        label="Agent"
        pointer="/agent_id"
        of={of}
        value={draft.agent_id}
        set={(agent_id) => change({ agent_id })}
      />
      <TextField
        label="Resources"
        pointer="/resources"
        of={of}
        value={draft.resources}
        set={(resources) => change({ resources })}
      />
      <TextField
        label="Actions"
        pointer="/actions"
        of={of}
        value={draft.actions}
        set={(actions) => change({ actions })}
      />
      <TextField
        label="Budget in US dollars (optional)"
        pointer="/constraints/max_spend_usd"
        inputMode="decimal"
        isOptional
        of={of}
        value={draft.budget}
        set={(budget) => change({ budget })}
      />
    </>
  )
}

/** Undefined if the text isn't a number: the form reports that, and examples leave it out. */
function amountOf(text: string): number | undefined {
  const amount = text.trim() === '' ? Number.NaN : Number(text)
  return Number.isFinite(amount) ? amount : undefined
}
