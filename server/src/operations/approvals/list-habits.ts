import { listVisibility } from '../lists/list-visibility.ts'
import type { Handler } from '../operation-context.ts'
import { habitView } from '../views/habit-view.ts'

export const listHabits: Handler<'listHabits'> = async ({ caller, query }, { reader }) => {
  const visibility = listVisibility(caller, query)
  if (visibility === undefined) return { data: [] }
  return { data: (await reader.habits({ ...visibility, unrevoked: true })).map(habitView) }
}
