/**
 * OpenAI Agents SDK tools within limits, with a sub-agent that may do less. Start the service (`npm start`), run
 * `npm ci --prefix integrations` once, then `npx node integrations/examples/openai-agents.ts`. The models are scripted,
 * so no API key is needed.
 */
import { deputy } from '@deputize/sdk'
import { governed } from '@deputize/sdk/openai-agents'
import { Agent, type Model, type ModelResponse, Runner, tool, Usage } from '@openai/agents'
import { z } from 'zod'

const client = deputy({ url: process.env.DEPUTY_URL ?? 'http://127.0.0.1:8420' })
const token = await client.issueL1({
  developer_email: 'dev@example.com',
  agent_id: 'calendar-bot',
  resources: ['calendar:work', 'tool:ask_reader'],
  actions: ['read', 'delete', 'call', 'delegate'],
})
const agent = client.withAuthority(token)

// Ordinary tools.
const readEvents = tool({
  name: 'read_events',
  description: 'Reads the events of a calendar',
  parameters: z.object({ calendar: z.string() }),
  execute: async ({ calendar }) => `stand-up (${calendar}), lunch (${calendar})`,
})
const deleteEvent = tool({
  name: 'delete_event',
  description: 'Deletes an event',
  parameters: z.object({ event: z.string() }),
  execute: async ({ event }) => `${event} is gone`,
})

// The sub-agent gets the same tools and a part of the authority: it may only read, at most twice.
const readerAuthority = await agent.delegate({
  agent_id: 'reader',
  resources: ['calendar:work'],
  actions: ['read'],
  constraints: { max_actions: 2 },
})
const reader = new Agent({
  name: 'reader',
  model: scriptedModel(['read_events', { calendar: 'work' }], ['delete_event', { event: 'lunch' }]), // your model goes here
  tools: governed([readEvents, deleteEvent], readerAuthority, {
    tools: {
      read_events: {
        action: 'read',
        resource: ({ calendar }: { calendar: string }) => `calendar:${calendar}`,
      },
      delete_event: { action: 'delete', resource: 'calendar:work' },
    },
    on_denied: ({ denial }) => console.log(`refused: ${denial.tool}, ${denial.reasons.join(', ')}`),
  }),
})

// Asking the sub-agent is an action too, and the cause of its actions.
const askReader = reader.asTool({ toolName: 'ask_reader', toolDescription: 'Asks what is planned' })
const bot = new Agent({
  name: 'calendar-bot',
  model: scriptedModel(['ask_reader', { input: 'What is planned?' }]), // your model goes here
  tools: governed([askReader], agent),
})

const { finalOutput } = await new Runner({ tracingDisabled: true }).run(bot, 'Clear my day.')
console.log(finalOutput)
const { data } = await client.listRecords({ provenance_ref: token.provenance_ref })
for (const { agent_id, action, resource, result, parent_aar_id } of data)
  console.log(`recorded: ${agent_id} ${action} ${resource} ${result}${parent_aar_id ? ', caused' : ''}`)

/** A model that calls tools in turn and then finishes. */
function scriptedModel(...calls: [name: string, input: object][]): Model {
  return {
    async getResponse(): Promise<ModelResponse> {
      const [name, input] = calls.shift() ?? []
      const usage = new Usage()
      if (name !== undefined)
        return {
          usage,
          output: [{ type: 'function_call', callId: name, name, arguments: JSON.stringify(input) }],
        }
      const content = [{ type: 'output_text' as const, text: "I did what I'm allowed to do." }]
      return { usage, output: [{ type: 'message', role: 'assistant', status: 'completed', content }] }
    },
    getStreamedResponse: () => {
      throw new Error('streaming is not used here')
    },
  }
}
