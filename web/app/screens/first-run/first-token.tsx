/** Open mode: the form issues the first token, and code records the first action with it. */
import { useState } from 'preact/hooks'
import type { IssuedToken } from '../../../../sdk/node/src/generated/operations.ts'
import { callService } from '../../api/client.ts'
import { feed } from '../../live/feed.ts'
import { Card, Choices, Id, ProblemBox } from '../../parts/basics.tsx'
import { useForm } from '../../parts/form.tsx'
import { isBeginning } from './beginning.ts'
import { InstallNote, Snippet } from './snippet.tsx'
import {
  type FirstToken,
  issueBody,
  issueSnippet,
  LANGUAGES,
  type Language,
  recordSnippet,
} from './snippets.ts'
import { Tick } from './tick.tsx'
import { TOKEN_POINTERS, TokenFields, useTokenDraft } from './token-fields.tsx'

export function FirstTokenCard() {
  const { draft, token, change } = useTokenDraft()
  const form = useForm(TOKEN_POINTERS)
  const [language, setLanguage] = useState<Language>('curl')
  const [issued, setIssued] = useState<IssuedToken>()
  const submit = (event: Event) => {
    event.preventDefault()
    void form.send(async () => {
      // From now on the service isn't empty, but this page must not give way to the overview.
      isBeginning.value = true
      setIssued(await callService('issueL1', issueBody(token)))
    })
  }
  return (
    <Card title="Issue your first token">
      <p>
        A token says what an agent may do for a person, within which limits. The form makes the same call as
        the code.
      </p>
      <form class="grid-form" ref={form.form} onSubmit={submit}>
        <TokenFields draft={draft} change={change} of={form} />
        <div class="buttons">
          <button type="submit" class="filled" disabled={form.isBusy || issued !== undefined}>
            Issue token
          </button>
        </div>
      </form>
      {form.problems.text !== undefined && <ProblemBox text={form.problems.text} />}
      <Choices label="Language" of={LANGUAGES} chosen={language} choose={setLanguage} />
      <InstallNote language={language} />
      {issued === undefined ? (
        <Snippet text={issueSnippet(language, location.origin, token)} label="Issue the token" />
      ) : (
        <FirstAction token={token} issued={issued} language={language} />
      )}
    </Card>
  )
}

function FirstAction({
  token,
  issued,
  language,
}: {
  readonly token: FirstToken
  readonly issued: IssuedToken
  readonly language: Language
}) {
  const isRecorded = feed.value.some(
    (event) => event.type === 'action.completed' && event.data.vat_jti === issued.jti,
  )
  return (
    <div role="status">
      <p>
        <span class="outcome done">
          <span aria-hidden="true">✓</span> Issued
        </span>{' '}
        <Id id={issued.jti} />
      </p>
      <p>Now record an action with it:</p>
      <Snippet
        text={recordSnippet(language, location.origin, token, issued.jti)}
        label="Record the first action"
      />
      <Tick
        isDone={isRecorded}
        done="The first action is recorded."
        waiting="Waiting for the first action…"
      />
    </div>
  )
}
