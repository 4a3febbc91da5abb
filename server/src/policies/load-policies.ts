import { readdirSync, readFileSync } from 'node:fs'
import { POLICY_NAMES } from '@deputize/protocol'
import { type Policy, readPolicies } from '../domain/tokens/policy.ts'

const POLICIES = new URL('../../policies/', import.meta.url)

/** Loads every policy that callers can name. A missing or invalid file prevents the start. */
export function loadPolicies(): readonly Policy[] {
  const files = readdirSync(POLICIES)
    .filter((name) => name.endsWith('.json'))
    .sort()
  const policies = readPolicies(files.map((name) => readFileSync(new URL(name, POLICIES), 'utf8')))
  const missing = POLICY_NAMES.filter((name) => !policies.some((policy) => policy.name === name))
  if (missing.length > 0) throw new Error(`no file in server/policies defines ${missing.join(', ')}`)
  return policies
}
