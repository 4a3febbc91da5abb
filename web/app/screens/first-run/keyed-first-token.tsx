/** Keyed mode: a program with the key of a developer issues the first token, bound to the key of its agent. */
import { useState } from 'preact/hooks'
import { callService } from '../../api/client.ts'
import { feed } from '../../live/feed.ts'
import { Card, Choices, ProblemBox } from '../../parts/basics.tsx'
import { useForm } from '../../parts/form.tsx'
import { can } from '../../shell/session.ts'
import { isBeginning } from './beginning.ts'
import { InstallNote, Snippet } from './snippet.tsx'
import { KEYED_LANGUAGES, type KeyedLanguage, keyedSnippet, keyLine } from './snippets.ts'
import { Tick } from './tick.tsx'
import { TOKEN_POINTERS, TokenFields, useTokenDraft } from './token-fields.tsx'

export function KeyedFirstToken() {
  const { draft, token, change } = useTokenDraft()
  const form = useForm(TOKEN_POINTERS)
  const [language, setLanguage] = useState<KeyedLanguage>('cli')
  const [key, setKey] = useState<string>()
  const createKey = () =>
    form.send(async () => {
      isBeginning.value = true
      setKey((await callService('createKey', { name: 'First program', role: 'developer' })).key)
    })
  const hasEvent = (type: string) => feed.value.some((event) => event.type === type)
  return (
    <Card title="Issue your first token">
      <p>
        Your program uses a developer key. It issues a token that is bound to the agent's key, so a stolen
        token alone is useless.
      </p>
      <form class="grid-form" onSubmit={(event) => event.preventDefault()}>
        <TokenFields draft={draft} change={change} of={form} />
      </form>
      {can('createKey') && key === undefined && (
        <div class="buttons">
          <button type="button" class="filled" disabled={form.isBusy} onClick={() => void createKey()}>
            Create a developer key
          </button>
        </div>
      )}
      {form.problems.text !== undefined && <ProblemBox text={form.problems.text} />}
      <Snippet text={keyLine(key)} label="Set the key" />
      {key !== undefined && <p class="notice">The key is shown once. Store it before you leave this page.</p>}
      <Choices label="Language" of={KEYED_LANGUAGES} chosen={language} choose={setLanguage} />
      <InstallNote language={language} />
      <Snippet text={keyedSnippet(language, location.origin, token)} label="Issue and record" />
      <div role="status">
        <Tick
          isDone={hasEvent('token.issued')}
          done="A token is issued."
          waiting="Waiting for the first token…"
        />
        <Tick
          isDone={hasEvent('action.completed')}
          done="The first action is recorded."
          waiting="Waiting for the first action…"
        />
      </div>
    </Card>
  )
}
