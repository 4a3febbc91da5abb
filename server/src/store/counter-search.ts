import { DEFAULT_TENANT } from '@deputize/protocol'
import type { FirstUse, HourUse, MinuteSignals } from '../domain/alert.ts'
import { COUNT_NAMES, type Counts, SERIES } from '../domain/stats.ts'
import type { ActiveQuery, CounterQuery, CounterSum, CounterSums } from './port/stats-reader.ts'
import type { Condition } from './searches.ts'
import { FIRST_TENANT_KEY, integer, optionalText, type Row, text } from './values.ts'

/** The most counters that a query reads, whatever the size of the store. */
export const MOST_COUNTERS = 20_000
/** The most agents of a tenant that a query considers, newest first. */
export const MOST_COUNTED_AGENTS = 10_000

/** SQL for the sum of a column, capped at the largest safe integer, in a dialect. */
export type SafeSum = (column: string) => string

/** Returns a query that sums counters and reads a bounded number of rows. */
export function counterSearch(query: CounterQuery, safeSum: SafeSum): Condition {
  const { series, from, to, bucket_size, by } = query
  const owner = ownerCondition(query)
  const names = nameConditions(query)
  const values = [SERIES[series].key, ...owner.values, from, to, ...names.values]
  const key = (column: string, isWanted: boolean) => `${isWanted ? column : '-1'} AS ${column}`
  const sql = `
    SELECT sums.*, a.agent_id, o.name AS tenant_id, n.name, r.name AS resource FROM (
      SELECT ${bucket_size === undefined ? '0' : `bucket / ${bucket_size}`} AS bucket,
        ${key('owner_key', by.includes('owner'))}, ${key('name_key', by.includes('name'))},
        ${key('resource_key', by.includes('resource'))}, count(*) AS counters_read,
        ${COUNT_NAMES.map((name) => `${safeSum(name)} AS ${name}`).join(', ')}
      FROM (
        SELECT * FROM counters WHERE series = ? AND ${owner.sql} AND bucket >= ? AND bucket < ?${names.sql}
        LIMIT ${MOST_COUNTERS + 1}
      ) AS found GROUP BY 1, 2, 3, 4
    ) AS sums
    LEFT JOIN agents a ON a.agent_key = sums.owner_key
    LEFT JOIN names o ON o.name_key = sums.owner_key
    LEFT JOIN names n ON n.name_key = sums.name_key
    LEFT JOIN names r ON r.name_key = sums.resource_key
    ORDER BY sums.bucket`
  return { sql, values }
}

const TENANT_KEY = `coalesce((SELECT name_key FROM names WHERE name = ?), -1)`

function ownerCondition({ of }: CounterQuery): Condition {
  if ('agent_id' in of)
    return { sql: 'owner_key = (SELECT agent_key FROM agents WHERE agent_id = ?)', values: [of.agent_id] }
  if ('agent_ids' in of) {
    const places = of.agent_ids.map(() => '?').join(', ')
    return {
      sql: `owner_key IN (SELECT agent_key FROM agents WHERE agent_id IN (${places}))`,
      values: of.agent_ids,
    }
  }
  if ('agents_of' in of) {
    const { sql, values } = tenantKeyOf(of.agents_of)
    return {
      sql: `owner_key IN (SELECT agent_key FROM agents WHERE tenant_key = ${sql}
        ORDER BY agent_key DESC LIMIT ${MOST_COUNTED_AGENTS})`,
      values,
    }
  }
  const keys = of.tenants.map(tenantKeyOf)
  return {
    sql: `owner_key IN (${keys.map(({ sql }) => sql).join(', ')})`,
    values: keys.flatMap(({ values }) => values),
  }
}

function tenantKeyOf(tenant_id: string): Condition {
  return tenant_id === DEFAULT_TENANT
    ? { sql: String(FIRST_TENANT_KEY), values: [] }
    : { sql: TENANT_KEY, values: [tenant_id] }
}

function nameConditions({ action, resource }: CounterQuery): Condition {
  const found: Condition[] = []
  if (action !== undefined) found.push({ sql: ` AND name_key = ${TENANT_KEY}`, values: [action] })
  if (resource !== undefined) found.push({ sql: ` AND resource_key = ${TENANT_KEY}`, values: [resource] })
  return { sql: found.map(({ sql }) => sql).join(''), values: found.flatMap(({ values }) => values) }
}

/** Reads the sums from the rows of a counter search. */
export function counterSumsOf(rows: readonly Row[], { series, by }: CounterQuery): CounterSums {
  const read = rows.reduce((sum, row) => sum + integer(row.counters_read), 0)
  if (read > MOST_COUNTERS) return { is_complete: false, sums: [] }
  const isOfAgents = SERIES[series].owner === 'agent'
  return {
    is_complete: true,
    sums: rows.map((row): CounterSum => {
      const owner = isOfAgents ? optionalText(row.agent_id) : (optionalText(row.tenant_id) ?? DEFAULT_TENANT)
      return {
        bucket: integer(row.bucket),
        owner: by.includes('owner') ? owner : undefined,
        name: optionalText(row.name),
        resource: optionalText(row.resource),
        counts: countsOf(row),
      }
    }),
  }
}

function countsOf(row: Row): Counts {
  return {
    allowed: integer(row.allowed),
    completed: integer(row.completed),
    succeeded: integer(row.succeeded),
    cancelled: integer(row.cancelled),
    expired: integer(row.expired),
    denied: integer(row.denied),
    asked: integer(row.asked),
    auto_approved: integer(row.auto_approved),
    approved: integer(row.approved),
    refused: integer(row.refused),
    decide_ms: integer(row.decide_ms),
    spend_micro_usd: integer(row.spend_micro_usd),
  }
}

const AGENT_KEY = '(SELECT agent_key FROM agents WHERE agent_id = ?)'

/** Finds active agents. Minutes and hours have an index across agents, so idle agents cost nothing. */
export function activeSearch(query: ActiveQuery, safeSum: SafeSum): Condition {
  const { tenant_id, unit, from, limit, agent_id, after } = query
  const tenant = tenantKeyOf(tenant_id)
  const series = unit === 'minute' ? SERIES.agent_minute.key : SERIES.agent_hour.key
  const one = agent_id === undefined ? '' : `AND owner_key = ${AGENT_KEY}`
  const later = after === undefined ? '' : `AND owner_key > coalesce(${AGENT_KEY}, -1)`
  const order = after === undefined ? 'active.denied DESC, active.spent DESC, a.agent_key' : 'a.agent_key'
  const sql = `
    SELECT a.agent_id FROM (
      SELECT owner_key, ${safeSum('denied')} AS denied, ${safeSum('spend_micro_usd')} AS spent
      FROM counters WHERE series = ${series} AND bucket >= ? ${one} ${later} GROUP BY owner_key
    ) AS active JOIN agents a ON a.agent_key = active.owner_key AND a.tenant_key = ${tenant.sql}
    ORDER BY ${order} LIMIT ?`
  const agents = [agent_id, after].filter((name) => name !== undefined)
  return { sql, values: [from, ...agents, ...tenant.values, limit] }
}

export const SIGNALS = `
  SELECT bucket, denied, rejected, deepest, budget_percent FROM counters
  WHERE series = ${SERIES.agent_minute.key} AND owner_key = ${AGENT_KEY} AND bucket >= ? AND bucket < ?
  ORDER BY bucket`

export function minuteSignalsOf(row: Row): MinuteSignals {
  return {
    minute: integer(row.bucket),
    denied: integer(row.denied),
    rejected: integer(row.rejected),
    deepest: integer(row.deepest),
    budget_percent: integer(row.budget_percent),
  }
}

export function hoursSearch(safeSum: SafeSum): string {
  return `
    SELECT bucket, ${safeSum('allowed')} AS allowed, ${safeSum('spend_micro_usd')} AS spend_micro_usd FROM counters
    WHERE series = ${SERIES.agent_hour.key} AND owner_key = ${AGENT_KEY} AND bucket >= ? AND bucket < ?
    GROUP BY bucket ORDER BY bucket`
}

export function hourUseOf(row: Row): HourUse {
  return {
    hour: integer(row.bucket),
    allowed: integer(row.allowed),
    spend_micro_usd: integer(row.spend_micro_usd),
  }
}

const MOST_FIRST_USES = 1_000

/** Finds names whose first use ever falls in these hours. An index finds each first use. */
export function firstUseSearch(of: FirstUse['of']): string {
  const column = of === 'action' ? 'name_key' : 'resource_key'
  return `
    SELECT n.name, used.bucket FROM (
      SELECT owner_key, ${column} AS used_key, min(first_index) AS first_index, min(bucket) AS bucket FROM counters
      WHERE series = ${SERIES.agent_hour.key} AND owner_key = ${AGENT_KEY} AND bucket >= ? AND bucket < ?
        AND first_index IS NOT NULL
      GROUP BY owner_key, ${column} LIMIT ${MOST_FIRST_USES}
    ) AS used JOIN names n ON n.name_key = used.used_key
    WHERE NOT EXISTS (
      SELECT 1 FROM counters c WHERE c.owner_key = used.owner_key AND c.${column} = used.used_key
        AND c.first_index IS NOT NULL AND c.first_index < used.first_index
    )
    ORDER BY used.bucket, n.name`
}

export function firstUseOf(of: FirstUse['of'], row: Row): FirstUse {
  return { hour: integer(row.bucket), of, name: text(row.name) }
}
