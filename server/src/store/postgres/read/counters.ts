import {
  activeSearch,
  counterSearch,
  counterSumsOf,
  firstUseOf,
  firstUseSearch,
  hoursSearch,
  hourUseOf,
  minuteSignalsOf,
  SIGNALS,
} from '../../counter-search.ts'
import type { StatsReader } from '../../port/stats-reader.ts'
import { text } from '../../values.ts'
import type { Database } from '../connect.ts'
import { rowsOf } from './reading.ts'

function safeSum(column: string): string {
  return `least(sum(${column}), ${Number.MAX_SAFE_INTEGER})::bigint`
}

export function statsReader(database: Database): StatsReader {
  return {
    async sums(query) {
      const { sql, values } = counterSearch(query, safeSum)
      return counterSumsOf(await rowsOf(database, sql, ...values), query)
    },
    async activeSince(query) {
      const { sql, values } = activeSearch(query, safeSum)
      return (await rowsOf(database, sql, ...values)).map(({ agent_id }) => text(agent_id))
    },
    signals: async (agent_id, from, to) =>
      (await rowsOf(database, SIGNALS, agent_id, from, to)).map(minuteSignalsOf),
    hours: async (agent_id, from, to) =>
      (await rowsOf(database, hoursSearch(safeSum), agent_id, from, to)).map(hourUseOf),
    async firstUses(agent_id, from, to) {
      const actions = await rowsOf(database, firstUseSearch('action'), agent_id, from, to)
      const resources = await rowsOf(database, firstUseSearch('resource'), agent_id, from, to)
      return [
        ...actions.map((row) => firstUseOf('action', row)),
        ...resources.map((row) => firstUseOf('resource', row)),
      ]
    },
  }
}
