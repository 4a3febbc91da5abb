import { listVisibility } from '../lists/list-visibility.ts'
import type { Handler } from '../operation-context.ts'
import { grantView } from '../views/habit-view.ts'

export const listGrants: Handler<'listGrants'> = async ({ caller, query }, { reader, clock }) => {
  const visibility = listVisibility(caller, query)
  if (visibility === undefined) return { data: [] }
  const habits = await reader.habits({ ...visibility, granted_after_ms: clock() })
  return { data: habits.flatMap(grantView) }
}
