import { loggedAgent } from '@deputize/protocol'
import type { Leaf } from '../../log/leaf.ts'
import {
  agentOf,
  humanOf,
  type Place,
  type Story,
  type Telling,
  type ToldToken,
  wordsOf,
} from './expected.ts'
import { agentIn, LeafError, optionalTextIn, textIn } from './leaf-reader.ts'

/** The token that a leaf names, which must be of the agent and the workflow that the leaf names too. */
export function tokenIn(leaf: Leaf, story: Story, telling: Telling): ToldToken {
  const told = story.tokens.get(textIn(leaf, 'token'))
  if (told === undefined) throw new LeafError('names a token that was never issued')
  const { agent_id, provenance_ref } = told.token
  if (leaf.agent_id !== loggedAgent(agent_id))
    telling.wrong.push('names another agent than that of its token')
  if (leaf.provenance_ref !== provenance_ref)
    telling.wrong.push('names another workflow than that of its token')
  return told
}

export function tellRevoked(leaf: Leaf, { log_index, at_ms }: Place, story: Story, telling: Telling): void {
  const told = tokenIn(leaf, story, telling)
  if (told.state.revoked_at_ms !== undefined) telling.wrong.push('revokes a token that was revoked before')
  told.state.revoked_at_ms = at_ms
  told.has_state = true
  const digest = optionalTextIn(leaf, 'reason_digest')
  told.reason = wordsOf(story, told.token.human_ref, 'reason', digest, log_index)
}

/** Everything of an agent or a person is revoked; what is issued later is not. */
export function tellOwnerRevoked(leaf: Leaf, { log_index }: Place, story: Story, telling: Telling): void {
  if (leaf.type === 'agent.revoked') {
    const agent = story.agents.get(agentIn(leaf))
    if (agent === undefined) throw new LeafError('names an agent that nobody has heard of')
    agent.marks.revoked_below = log_index
    return
  }
  const human_ref = textIn(leaf, 'human_ref')
  if (!story.humans.has(human_ref)) telling.wrong.push('names a person that nobody has heard of')
  humanOf(story, human_ref).marks.revoked_below = log_index
  wordsOf(story, human_ref, 'reason', optionalTextIn(leaf, 'reason_digest'), log_index)
}

/** A token or an agent is suspended or resumed. */
export function tellFreeze(leaf: Leaf, { at_ms }: Place, story: Story, telling: Telling): void {
  const isToken = leaf.type === 'token.suspended' || leaf.type === 'token.resumed'
  const isSuspension = leaf.type === 'token.suspended' || leaf.type === 'agent.suspended'
  const marks = isToken ? frozenToken(leaf, story, telling) : story.agents.get(agentIn(leaf))?.marks
  if (marks === undefined) throw new LeafError('names an agent that nobody has heard of')
  if ((marks.suspended_at_ms !== undefined) === isSuspension)
    telling.wrong.push(isSuspension ? 'suspends what is suspended' : 'resumes what is not suspended')
  marks.suspended_at_ms = isSuspension ? at_ms : undefined
}

function frozenToken(leaf: Leaf, story: Story, telling: Telling): ToldToken['state'] {
  const told = tokenIn(leaf, story, telling)
  told.has_state = true
  return told.state
}

export function tellAgent(leaf: Leaf, { at_ms }: Place, story: Story): void {
  agentOf(story, agentIn(leaf), at_ms).profile_digest = textIn(leaf, 'profile_digest')
}

/** The data key of a person is destroyed, and with it their habits. */
export function tellErasure(leaf: Leaf, { log_index, at_ms }: Place, story: Story, telling: Telling): void {
  const human_ref = textIn(leaf, 'human_ref')
  const human = humanOf(story, human_ref)
  if (human.marks.revoked_below !== log_index - 1)
    telling.wrong.push('erases a person whose tokens were not revoked right before')
  human.erased_at.push(log_index)
  human.erased_at_ms = at_ms
  human.keys_gone += human.needs_key ? 1 : 0
  human.needs_key = false
  for (const [name, { key }] of story.habits) if (key.human_ref === human_ref) story.habits.delete(name)
}
