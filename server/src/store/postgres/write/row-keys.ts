import { freshState, noMarks } from '../../../domain/tokens/token.ts'
import { pathBelow } from '../../paths.ts'
import type { Changes } from '../../port/changes.ts'
import { createdIndexes, type KeyedToken, type RowKeys } from '../../rows/row-keys.ts'
import type { RowOf } from '../../tables.ts'
import type { BatchFacts } from './facts.ts'
import type { Head } from './head.ts'
import type { BatchMemory } from './memory.ts'

const AGENT = 'agent:'

/**
 * The keys for the rows of one batch. New keys are assigned from the head, which the same batch advances; the rows that
 * they belong to are written with the rest.
 */
export interface BatchKeys extends RowKeys {
  readonly new_names: readonly RowOf<'names'>[]
  readonly new_workflows: readonly RowOf<'workflows'>[]
  isNewAgent(agent_id: string): boolean
  /** Adds the new keys to the memory. Call it when the batch is sent: the next one is judged as if it were committed. */
  remember(): void
}

export function batchKeys(changes: Changes, batch: BatchFacts, head: Head, memory: BatchMemory): BatchKeys {
  const names = newKeys(
    (name) => memory.names.get(name),
    () => ++head.last_name_key,
  )
  const workflows = newKeys(
    (ref) => memory.workflows.get(ref),
    () => ++head.last_workflow_key,
  )
  const agents = newKeys(
    (agent_id) => memory.agent(agent_id)?.agent_key,
    () => ++head.last_agent_key,
  )
  const tokens = new Map<string, KeyedToken>()
  const created = createdIndexes(changes)

  return {
    token(jti) {
      const found = tokens.get(jti) ?? memory.token(jti)
      if (found === undefined) throw new Error('a change names a token that is not stored')
      return found
    },
    addToken(token, above) {
      const token_key = ++head.last_token_key
      const path = pathBelow(above?.path, token_key)
      const keyed = { token, token_key, above_key: above?.token_key, path }
      tokens.set(token.jti, keyed)
      return keyed
    },
    name: names.key,
    workflow: workflows.key,
    agent: agents.key,
    human: (human_ref) => batch.personFor(human_ref).human_key,
    recordIndex: (aar_id) => created(aar_id) ?? batch.recordIndex(aar_id) ?? null,
    // Nodes of the previous version know no other key.
    replay: ({ key }) => key,
    seal: batch.people.seal,
    stamp: batch.people.stamp,
    get new_names() {
      return Array.from(names.added, ([name, name_key]) => ({ name_key, name }))
    },
    get new_workflows() {
      return Array.from(workflows.added, ([provenance_ref, workflow_key]) => ({
        workflow_key,
        provenance_ref,
      }))
    },
    isNewAgent: (agent_id) => agents.added.has(agent_id),
    remember() {
      for (const [name, key] of names.added) memory.names.set(name, key)
      for (const [ref, key] of workflows.added) memory.workflows.set(ref, key)
      for (const [agent_id, agent_key] of agents.added)
        memory.addAgent(agent_id, { agent_key, marks: batch.new_agents.get(agent_id) ?? noMarks() })
      for (const keyed of tokens.values()) rememberToken(keyed, changes, memory)
      for (const { to } of changes.vouches)
        if (to.startsWith(AGENT)) memory.noteVouched(to.slice(AGENT.length))
    },
  }
}

/** Looks up known keys, and assigns new ones on first use. */
function newKeys(known: (text: string) => number | undefined, next: () => number) {
  const added = new Map<string, number>()
  return {
    added,
    key(text: string): number {
      const found = known(text) ?? added.get(text)
      if (found !== undefined) return found
      const key = next()
      added.set(text, key)
      return key
    },
  }
}

function rememberToken(keyed: KeyedToken, changes: Changes, memory: BatchMemory): void {
  const { token } = keyed
  const agent = memory.agent(token.agent_id)
  const human = memory.person(token.human_ref)
  if (!agent || !human) throw new Error('the holder of a new token is not loaded')
  const state = changes.states.get(token.jti) ?? freshState()
  memory.addToken(keyed, { token, state, agent: agent.marks, human: human.marks })
}
