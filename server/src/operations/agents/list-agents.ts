import { visibleTenant } from '../list-visibility.ts'
import type { Handler } from '../operation-context.ts'
import { pageRequest } from '../pages.ts'
import { agentView } from '../views/agent-view.ts'
import { pageAnswer } from '../views/page-answer.ts'

export const listAgents: Handler<'listAgents'> = async ({ caller, query }, { reader }) =>
  pageAnswer(await reader.agents(visibleTenant(caller), pageRequest(query)), agentView)
