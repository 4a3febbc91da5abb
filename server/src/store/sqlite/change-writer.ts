import type { DatabaseSync } from 'node:sqlite'
import { encodeFrontier } from '@deputize/protocol'
import { dayOf } from '../../domain/time.ts'
import { pathBelow } from '../paths.ts'
import type { Changes, NewToken, RegistryEntry } from '../port.ts'
import type { KeyedToken } from '../rows/tokens.ts'
import {
  closingValues,
  denialValues,
  type Keys,
  ratingValues,
  recordValues,
  stateValues,
  tallyValues,
} from '../rows/written.ts'
import { integer, levelKey } from '../values.ts'
import { approvalWriter } from './habits.ts'
import type { People } from './people.ts'
import type { Replays } from './replays.ts'
import type { Keyring } from './row-keys.ts'
import { tallyWriter } from './tallies.ts'
import type { TokenReader } from './tokens.ts'

/** Writes all changes of a batch into the open transaction. */
export function changeWriter(
  db: DatabaseSync,
  tokens: TokenReader,
  keys: Keyring,
  people: People,
  replays: Replays,
  register: (entry: RegistryEntry) => void,
) {
  const insertLeaf = db.prepare('INSERT INTO leaves (log_index, leaf_hash, leaf) VALUES (?, ?, ?)')
  const insertStandingChange = db.prepare('INSERT INTO standing_changes (log_index) VALUES (?)')
  const insertNode = db.prepare('INSERT INTO log_nodes (level, node_index, hash) VALUES (?, ?, ?)')
  const keepCheckpoint = db.prepare(`
    INSERT INTO checkpoints (size, root, signed_at_ms, note) VALUES (?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET note = excluded.note`)
  const insertWorkflowLeaf = db.prepare('INSERT INTO workflow_leaves (workflow_key, log_index) VALUES (?, ?)')
  const setHead = db.prepare(`
    INSERT INTO log_head (only, frontier, last_ms) VALUES (1, ?, ?)
    ON CONFLICT DO UPDATE SET frontier = excluded.frontier, last_ms = excluded.last_ms`)
  const setProbe = db.prepare(`
    INSERT INTO deployment (name, value) VALUES ('probe', ?) ON CONFLICT DO UPDATE SET value = excluded.value`)
  const insertRecord = db.prepare(`
    INSERT INTO records (
      log_index, aar_id, token_key, action_key, resource_key, state, created_at_ms, result_key, result_hash,
      spend_micro_usd, parent_index, expires_at_ms, completed_at_ms, completed_index, completed_after_revocation,
      over_budget, completion_digest, trace_id, metadata, evidence
    ) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, (SELECT log_index FROM records WHERE aar_id = ?), ?, ?, ?, ?, ?, ?, ?, ?, ?)`)
  const closeRecord = db.prepare(`
    UPDATE records SET state = ?, result_key = ?, result_hash = ?, spend_micro_usd = ?,
      metadata = coalesce(?, metadata),
      completed_at_ms = ?, completed_index = ?, completed_after_revocation = ?, over_budget = ?, completion_digest = ?,
      evidence = ?
    WHERE log_index = ?`)
  const insertRating = db.prepare(`
    INSERT INTO ratings (record_index, rating, feedback_at_ms, log_index, rater_assurance, note) VALUES (?, ?, ?, ?, ?, ?)`)
  const insertDenial = db.prepare(`
    INSERT INTO denials (
      log_index, denial_id, token_key, action_key, resource_key, spend_micro_usd, reasons, created_at_ms, trace_id
    ) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`)
  const insertToken = db.prepare(`
    INSERT INTO tokens (
      token_key, jti, parent_key, root_key, agent_key, workflow_key, human_key, level, log_index, issued_at_ms, jwt_hash,
      claims, purpose, path, expires_at_ms, status_index, tenant_key
    ) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`)
  const lastTokenKey = db.prepare('SELECT coalesce(max(token_key), 0) AS last FROM tokens')
  const setState = db.prepare(`
    INSERT INTO token_states (
      token_key, revoked_at_ms, suspended_at_ms, spent_micro_usd, reserved_micro_usd, actions, minute, minute_actions
    ) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET revoked_at_ms = excluded.revoked_at_ms,
      suspended_at_ms = excluded.suspended_at_ms, spent_micro_usd = excluded.spent_micro_usd,
      reserved_micro_usd = excluded.reserved_micro_usd, actions = excluded.actions, minute = excluded.minute,
      minute_actions = excluded.minute_actions`)
  const setReason = db.prepare('UPDATE token_states SET revoke_reason = ? WHERE token_key = ?')
  const addToAgent = db.prepare(`
    UPDATE agents SET last_action_ms = iif(?, ?, last_action_ms), total_actions = total_actions + ?,
      completed_actions = completed_actions + ?, scored_actions = scored_actions + ?,
      outcome_halves = outcome_halves + ?, approved = approved + ?, flagged = flagged + ?, rejected = rejected + ?
    WHERE agent_key = ?`)
  const addToDay = db.prepare(`
    INSERT INTO agent_days (
      total_actions, completed_actions, scored_actions, outcome_halves, approved, flagged, rejected, agent_key, day
    ) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET total_actions = total_actions + excluded.total_actions,
      completed_actions = completed_actions + excluded.completed_actions,
      scored_actions = scored_actions + excluded.scored_actions,
      outcome_halves = outcome_halves + excluded.outcome_halves, approved = approved + excluded.approved,
      flagged = flagged + excluded.flagged, rejected = rejected + excluded.rejected`)
  const setProfile = db.prepare('UPDATE agents SET profile = ? WHERE agent_key = ?')
  const markAgent = db.prepare('UPDATE agents SET suspended_at_ms = ?, revoked_below = ? WHERE agent_key = ?')
  const markHuman = db.prepare('UPDATE humans SET revoked_below = ? WHERE human_key = ?')
  const tally = tallyWriter(db, keys)

  function keyed(jti: string): KeyedToken {
    const found = tokens.find(jti)
    if (found === undefined) throw new Error('a change names a token that is not stored')
    return found
  }

  const tokenKey = (jti: string) => keyed(jti).token_key
  const written: Keys = { token: tokenKey, name: keys.name, sealed: people.sealed }
  const writeApprovals = approvalWriter(db, keys, written)

  function writeLog({ leaves, nodes, checkpoints, frontier }: Changes, now_ms: number): void {
    for (const { size, root, signed_at_ms, note } of checkpoints)
      keepCheckpoint.run(size, root, signed_at_ms, note)
    if (leaves.length === 0) return
    let log_index = frontier.size - leaves.length
    for (const { text, hash, changes_standing } of leaves) {
      insertLeaf.run(log_index, hash, text)
      if (changes_standing) insertStandingChange.run(log_index)
      log_index += 1
    }
    for (const { level, index, hash } of nodes) insertNode.run(level, index, hash)
    setHead.run(encodeFrontier(frontier), now_ms)
  }

  /** After the tokens, so that workflows get their keys in the order in which they begin. */
  function writeWorkflowLeaves({ leaves, frontier }: Changes): void {
    for (const [position, { provenance_ref }] of leaves.entries()) {
      if (provenance_ref === undefined) continue
      insertWorkflowLeaf.run(keys.workflow(provenance_ref), frontier.size - leaves.length + position)
    }
  }

  function writeToken({ token, purpose, above_jti, status_index }: NewToken, now_ms: number): void {
    const token_key = integer(lastTokenKey.get()?.last) + 1
    const above = above_jti === undefined ? undefined : keyed(above_jti)
    insertToken.run(
      token_key,
      token.jti,
      above?.token_key ?? null,
      token.root_jti === token.jti ? token_key : tokenKey(token.root_jti),
      keys.agent(token.agent_id, now_ms),
      keys.workflow(token.provenance_ref),
      keys.human(token.human_ref),
      levelKey(token.assurance_level),
      token.log_index,
      token.issued_at_ms,
      token.jwt_hash,
      JSON.stringify(token.claims),
      people.sealed(token.human_ref, { kind: 'token.purpose', row: token.jti }, purpose),
      pathBelow(above?.path, token_key),
      token.limits.expires_at_ms,
      status_index,
      keys.tenant(token.agent_id),
    )
  }

  function writeStates({ states, reasons }: Changes): void {
    for (const [jti, state] of states) setState.run(tokenKey(jti), ...stateValues(state))
    for (const [jti, reason] of reasons) {
      const { token, token_key } = keyed(jti)
      setReason.run(people.seal(token.human_ref, { kind: 'token.reason', row: jti }, reason), token_key)
    }
  }

  function writeEvidence({ ratings, denials }: Changes): void {
    for (const rating of ratings) insertRating.run(...ratingValues(rating, written))
    for (const denial of denials) insertDenial.run(...denialValues(denial, written))
  }

  function writeCounters({ workflows, agents }: Changes, now_ms: number): void {
    for (const [provenance_ref, delta] of workflows) tally(provenance_ref, delta, now_ms)
    for (const [agent_id, delta] of agents) {
      const sums = tallyValues(delta)
      const agent_key = keys.agent(agent_id, now_ms) // a new agent appears even before it acts
      if (!sums.some((sum) => sum > 0)) continue
      addToAgent.run(delta.total_actions, now_ms, ...sums, agent_key)
      addToDay.run(...sums, agent_key, dayOf(now_ms))
    }
  }

  function writeMarks({ profiles, agent_marks, human_marks }: Changes, now_ms: number): void {
    for (const [agent_id, profile] of profiles) setProfile.run(profile, keys.agent(agent_id, now_ms))
    for (const [agent_id, { suspended_at_ms, revoked_below }] of agent_marks) {
      markAgent.run(suspended_at_ms ?? null, revoked_below, keys.agent(agent_id, now_ms))
    }
    for (const [human_ref, { revoked_below }] of human_marks)
      markHuman.run(revoked_below, keys.human(human_ref))
  }

  return (changes: Changes, now_ms: number): void => {
    writeLog(changes, now_ms)
    for (const token of changes.tokens) writeToken(token, now_ms)
    writeWorkflowLeaves(changes)
    writeStates(changes)
    for (const record of changes.created)
      insertRecord.run(...recordValues(record, written, record.parent_aar_id ?? null))
    for (const record of changes.closed) closeRecord.run(...closingValues(record, written), record.log_index)
    writeEvidence(changes)
    writeCounters(changes, now_ms)
    writeMarks(changes, now_ms)
    writeApprovals(changes, now_ms)
    for (const entry of changes.registry.values()) register(entry)
    for (const replay of changes.replays) replays.write(replay)
    if (changes.forget_replays_before_ms !== undefined) replays.forgetBefore(changes.forget_replays_before_ms)
    for (const human_ref of changes.erased) people.destroyKey(human_ref, now_ms) // last: nothing is sealed after it
    if (changes.probe) setProbe.run(String(now_ms))
  }
}
