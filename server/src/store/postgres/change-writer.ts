import { DEFAULT_TENANT, encodeFrontier, tenantOf } from '@deputize/protocol'
import { dayOf } from '../../domain/time.ts'
import { freshState, noMarks } from '../../domain/token.ts'
import { pathBelow } from '../paths.ts'
import type { Changes, NewToken } from '../port.ts'
import { registryValues } from '../rows/registry.ts'
import { sealedReplay } from '../rows/replays.ts'
import { TALLY } from '../rows/tallies.ts'
import type { KeyedToken } from '../rows/tokens.ts'
import {
  approvalValues,
  closingValues,
  denialValues,
  type Keys,
  ratingValues,
  recordValues,
  stateValues,
  tallyValues,
  tenantKey,
} from '../rows/written.ts'
import { levelKey } from '../values.ts'
import { WRAPPED_BYTES } from '../vault.ts'
import type { Database } from './connect.ts'
import type { BatchFacts } from './facts.ts'
import type { Head } from './head.ts'
import { hotStatement, PARTS, type PartName, type Prepared } from './hot-statement.ts'
import { columnArrays } from './insertion.ts'
import type { Memory } from './memory.ts'

/** What a batch writes, ready to be sent. */
export interface Writing {
  /** The statement that writes almost everything, and its values after those of the head. */
  readonly statement: Prepared
  readonly arrays: readonly Buffer[]
  /** Statements that follow in the same transaction; without any, the hot statement can stand alone. */
  readonly rare: readonly Statement[]
  /** Makes the memory what the store will be, once the batch is committed. */
  remember(): void
}

export interface Statement {
  readonly sql: string
  readonly values: unknown[]
}

/** Loads the keys that the changes will need and the memory lacks. */
export async function loadKeysFor(changes: Changes, memory: Memory, database: Database): Promise<void> {
  await memory.loadNames(database, [...namesIn(changes)])
  const refs = new Set(changes.workflows.keys())
  for (const { provenance_ref } of changes.leaves) if (provenance_ref !== undefined) refs.add(provenance_ref)
  await memory.loadWorkflows(database, [...refs])
  await memory.loadAgents(database, [...new Set([...changes.agents.keys(), ...habitAgents(changes)])])
  await memory.loadPeople(
    database,
    [...changes.habits.values()].map(({ key }) => key.human_ref),
  )
  await memory.loadTokens(
    database,
    [...changes.approvals].map(({ vat_jti }) => vat_jti),
  )
}

function namesIn({ created, closed, denials, approvals, habits, workflows, agents }: Changes): Set<string> {
  const names = new Set<string>()
  for (const tenant_id of tenantsIn(agents)) names.add(tenant_id)
  for (const { action, resource } of [...created, ...denials, ...approvals]) names.add(action).add(resource)
  for (const { result } of [...created, ...closed]) if (result !== undefined) names.add(result)
  for (const { key } of habits.values()) names.add(key.action).add(key.resource)
  for (const { actions, results } of workflows.values())
    for (const name of [...actions.keys(), ...results.keys()]) names.add(name)
  return names
}

/** The tenants that are kept by their names. */
function tenantsIn(agents: Changes['agents']): string[] {
  return [...agents.keys()].map(tenantOf).filter((tenant_id) => tenant_id !== DEFAULT_TENANT)
}

function habitAgents({ habits }: Changes): string[] {
  return [...habits.values()].map(({ key }) => key.agent_id)
}

/** Turns the changes of a batch into rows. Keys are handed out from the head, which the same batch advances. */
export function writingOf(
  changes: Changes,
  { people, personFor, touched, recordIndex, new_agents, facts }: BatchFacts,
  head: Head,
  memory: Memory,
): Writing {
  const { now_ms } = facts
  const rows = Object.fromEntries(PARTS.map(({ name }) => [name, [] as unknown[][]])) as Record<
    PartName,
    unknown[][]
  >
  const rare: Statement[] = []
  const newNames = new Map<string, number>()
  const newWorkflows = new Map<string, number>()
  const newAgents = new Map<string, number>()
  const newTokens = new Map<string, KeyedToken>()

  function nameKey(name: string): number {
    const known = memory.names.get(name) ?? newNames.get(name)
    if (known !== undefined) return known
    head.last_name_key += 1
    newNames.set(name, head.last_name_key)
    rows.new_names.push([head.last_name_key, name])
    return head.last_name_key
  }

  function workflowKey(ref: string): number {
    const known = memory.workflows.get(ref) ?? newWorkflows.get(ref)
    if (known !== undefined) return known
    head.last_workflow_key += 1
    newWorkflows.set(ref, head.last_workflow_key)
    rows.new_workflows.push([head.last_workflow_key, ref])
    return head.last_workflow_key
  }

  function agentKey(agent_id: string): number {
    const known = memory.agent(agent_id)?.agent_key ?? newAgents.get(agent_id)
    if (known !== undefined) return known
    head.last_agent_key += 1
    newAgents.set(agent_id, head.last_agent_key)
    return head.last_agent_key
  }

  const humanKey = (human_ref: string) => personFor(human_ref).human_key

  function keyed(jti: string): KeyedToken {
    const found = newTokens.get(jti) ?? memory.token(jti)
    if (found === undefined) throw new Error('a change names a token that is not stored')
    return found
  }

  const tokenKey = (jti: string) => keyed(jti).token_key
  const written: Keys = { token: tokenKey, name: nameKey, sealed: people.sealed }

  function addToken({ token, purpose, above_jti, status_index }: NewToken): void {
    head.last_token_key += 1
    const token_key = head.last_token_key
    const above = above_jti === undefined ? undefined : keyed(above_jti)
    const path = pathBelow(above?.path, token_key)
    newTokens.set(token.jti, { token, token_key, above_key: above?.token_key, path })
    rows.new_tokens.push([
      token_key,
      token.jti,
      above?.token_key ?? null,
      token.root_jti === token.jti ? token_key : tokenKey(token.root_jti),
      agentKey(token.agent_id),
      workflowKey(token.provenance_ref),
      humanKey(token.human_ref),
      levelKey(token.assurance_level),
      token.log_index,
      token.issued_at_ms,
      token.jwt_hash,
      JSON.stringify(token.claims),
      people.sealed(token.human_ref, { kind: 'token.purpose', row: token.jti }, purpose),
      path,
      `{${keysOf(path).join(',')}}`,
      token.limits.expires_at_ms,
      status_index,
      tenantKey(token.agent_id, nameKey),
    ])
  }

  function addLog(): void {
    const first = changes.frontier.size - changes.leaves.length
    for (const [position, { text, hash, changes_standing, provenance_ref }] of changes.leaves.entries()) {
      const log_index = first + position
      rows.new_leaves.push([log_index, hash, text])
      if (changes_standing)
        rare.push({ sql: 'INSERT INTO standing_changes (log_index) VALUES ($1)', values: [log_index] })
      if (provenance_ref !== undefined)
        rare.push({
          sql: 'INSERT INTO workflow_leaves (workflow_key, log_index) VALUES ($1, $2)',
          values: [workflowKey(provenance_ref), log_index],
        })
    }
    for (const { level, index, hash } of changes.nodes) rows.new_nodes.push([level, index, hash])
    for (const { size, root, signed_at_ms, note } of changes.checkpoints)
      rare.push({ sql: KEEP_CHECKPOINT, values: [size, root, signed_at_ms, note] })
  }

  function addStates(): void {
    for (const [jti, state] of changes.states) rows.kept_states.push([tokenKey(jti), ...stateValues(state)])
    for (const [jti, reason] of changes.reasons) {
      const { token, token_key } = keyed(jti)
      const sealed = people.seal(token.human_ref, { kind: 'token.reason', row: jti }, reason)
      rare.push({
        sql: 'UPDATE token_states SET revoke_reason = $1 WHERE token_key = $2',
        values: [sealed, token_key],
      })
    }
  }

  const created = new Map([...changes.created].map(({ aar_id, log_index }) => [aar_id, log_index]))
  const parentIndex = (aar_id: string | undefined) =>
    aar_id === undefined ? null : (created.get(aar_id) ?? recordIndex(aar_id) ?? null)

  function addRecords(): void {
    for (const record of changes.created)
      rows.new_records.push(recordValues(record, written, parentIndex(record.parent_aar_id)))
    for (const record of changes.closed)
      rows.closed_records.push([record.log_index, ...closingValues(record, written)])
  }

  function addEvidence(): void {
    for (const rating of changes.ratings) rows.new_ratings.push(ratingValues(rating, written))
    for (const denial of changes.denials) rows.new_denials.push(denialValues(denial, written))
  }

  function addCounters(): void {
    for (const [ref, { records, agents, actions, results }] of changes.workflows) {
      const workflow_key = workflowKey(ref)
      for (const [agent_id, n] of agents) rows.agent_counts.push([workflow_key, agentKey(agent_id), n])
      for (const [action, n] of actions)
        rows.other_counts.push([workflow_key, TALLY.action, nameKey(action), n, null])
      for (const [result, n] of results)
        rows.other_counts.push([workflow_key, TALLY.result, nameKey(result), n, null])
      if (records > 0) rows.other_counts.push([workflow_key, TALLY.records, 0, records, now_ms])
    }
    for (const [agent_id, tally] of changes.agents) {
      const sums = tallyValues(tally)
      const agent_key = agentKey(agent_id)
      const isBusy = sums.some((sum) => sum > 0)
      if (!isBusy && !newAgents.has(agent_id)) continue
      rows.kept_agents.push([
        agent_key,
        agent_id,
        now_ms,
        tenantKey(agent_id, nameKey),
        tally.total_actions > 0 ? now_ms : null,
        ...sums,
      ])
      if (isBusy) rows.kept_days.push([agent_key, dayOf(now_ms), ...sums])
    }
  }

  function addMarks(): void {
    for (const [agent_id, profile] of changes.profiles)
      rare.push({
        sql: 'UPDATE agents SET profile = $1 WHERE agent_key = $2',
        values: [profile, agentKey(agent_id)],
      })
    for (const [agent_id, { suspended_at_ms, revoked_below }] of changes.agent_marks)
      rare.push({
        sql: 'UPDATE agents SET suspended_at_ms = $1, revoked_below = $2 WHERE agent_key = $3',
        values: [suspended_at_ms ?? null, revoked_below, agentKey(agent_id)],
      })
    for (const [human_ref, { revoked_below }] of changes.human_marks)
      rare.push({
        sql: 'UPDATE humans SET revoked_below = $1 WHERE human_key = $2',
        values: [revoked_below, humanKey(human_ref)],
      })
  }

  function addApprovals(): void {
    for (const approval of changes.approvals)
      rare.push({ sql: KEEP_APPROVAL, values: approvalValues(approval, written) })
    for (const { key, habit } of changes.habits.values()) {
      const place = [
        agentKey(key.agent_id),
        humanKey(key.human_ref),
        nameKey(key.action),
        nameKey(key.resource),
      ]
      rare.push(
        habit === undefined
          ? { sql: END_HABIT, values: place }
          : {
              sql: KEEP_HABIT,
              values: [...place, habit.approvals, habit.auto_approvals, habit.last_human_ms],
            },
      )
    }
  }

  function addRegistry(): void {
    for (const entry of changes.registry.values())
      rare.push({ sql: KEEP_ENTRY, values: registryValues(entry, people.seal) })
  }

  function addReplays(): void {
    for (const replay of changes.replays)
      rows.kept_replays.push([
        replay.key,
        replay.fingerprint,
        sealedReplay(replay, people.seal),
        replay.expires_at_ms,
      ])
    if (changes.forget_replays_before_ms !== undefined)
      rare.push({
        sql: 'DELETE FROM replays WHERE expires_at_ms <= $1',
        values: [changes.forget_replays_before_ms],
      })
  }

  /** Last, because everything before may have sealed something and so made a key. */
  function addPeople(): void {
    for (const human_ref of changes.erased) {
      people.destroyKey(human_ref, now_ms)
      rare.push({
        sql: 'DELETE FROM approval_habits WHERE human_key = $1',
        values: [humanKey(human_ref)],
      })
    }
    for (const { data_key, human_key, wrapped } of people.new_keys)
      rows.new_data_keys.push([data_key, human_key, wrapped])
    for (const data_key of people.destroyed)
      rare.push({
        sql: 'UPDATE data_keys SET wrapped = $1 WHERE data_key = $2',
        values: [new Uint8Array(WRAPPED_BYTES), data_key],
      })
    for (const { human_key, human_ref, marks, data_key, erased_at_ms } of touched)
      rows.kept_humans.push([human_key, human_ref, marks.revoked_below, data_key, erased_at_ms])
  }

  for (const token of changes.tokens) addToken(token)
  addLog()
  addStates()
  addRecords()
  addEvidence()
  addCounters()
  addMarks()
  addApprovals()
  addRegistry()
  addReplays()
  addPeople()

  const parts = PARTS.filter(({ name }) => rows[name].length > 0)
  return {
    statement: hotStatement(parts),
    arrays: parts.flatMap((part) => columnArrays(part, rows[part.name])),
    rare,
    remember() {
      for (const [name, key] of newNames) memory.names.set(name, key)
      for (const [ref, key] of newWorkflows) memory.workflows.set(ref, key)
      for (const [agent_id, agent_key] of newAgents)
        memory.addAgent(agent_id, { agent_key, marks: new_agents.get(agent_id) ?? noMarks() })
      for (const [jti, one] of newTokens)
        memory.addToken(one, {
          token: one.token,
          state: changes.states.get(jti) ?? freshState(),
          agent: memory.agent(one.token.agent_id)?.marks ?? missing(),
          human: memory.person(one.token.human_ref)?.marks ?? missing(),
        })
    },
  }
}

function missing(): never {
  throw new Error('somebody who holds a token is not loaded')
}

/** The keys in a path, from the root down. */
function keysOf(path: Uint8Array): bigint[] {
  const view = new DataView(path.buffer, path.byteOffset, path.byteLength)
  return Array.from({ length: path.length / 8 }, (_, index) => view.getBigUint64(index * 8))
}

/** The values of the hot statement, in its order. */
export function hotValues(
  head: Head,
  changes: Changes,
  now_ms: number,
  writer_id: string,
  arrays: readonly Buffer[],
): unknown[] {
  const hasLeaves = changes.leaves.length > 0 || changes.probe
  return [
    head.batch,
    encodeFrontier(changes.frontier),
    hasLeaves ? now_ms : head.last_ms,
    head.last_token_key,
    head.last_agent_key,
    head.last_human_key,
    head.last_workflow_key,
    head.last_name_key,
    head.last_data_key,
    writer_id,
    now_ms,
    ...arrays,
  ]
}

const KEEP_CHECKPOINT = `
  INSERT INTO checkpoints (size, root, signed_at_ms, note) VALUES ($1, $2, $3, $4)
  ON CONFLICT (size) DO UPDATE SET note = excluded.note`
const KEEP_APPROVAL = `
  INSERT INTO approvals (
    log_index, approval_id, token_key, action_key, resource_key, spend_micro_usd, metadata, binding, state,
    created_at_ms, expires_at_ms, decided_at_ms, decided_by, decided_index, note, used_by
  ) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)
  ON CONFLICT (log_index) DO UPDATE SET state = excluded.state, decided_at_ms = excluded.decided_at_ms,
    decided_by = excluded.decided_by, decided_index = excluded.decided_index,
    note = coalesce(excluded.note, approvals.note), used_by = excluded.used_by`
const KEEP_ENTRY = `
  INSERT INTO registry (kind, id, tenant_id, owner, document, log_index) VALUES ($1, $2, $3, $4, $5, $6)
  ON CONFLICT (kind, id) DO UPDATE SET tenant_id = excluded.tenant_id, owner = excluded.owner,
    document = excluded.document, log_index = excluded.log_index`
const KEEP_HABIT = `
  INSERT INTO approval_habits (
    agent_key, human_key, action_key, resource_key, approvals, auto_approvals, last_human_ms
  ) VALUES ($1, $2, $3, $4, $5, $6, $7)
  ON CONFLICT (agent_key, human_key, action_key, resource_key) DO UPDATE SET approvals = excluded.approvals,
    auto_approvals = excluded.auto_approvals, last_human_ms = excluded.last_human_ms`
const END_HABIT =
  'DELETE FROM approval_habits WHERE agent_key = $1 AND human_key = $2 AND action_key = $3 AND resource_key = $4'
