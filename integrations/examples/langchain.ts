/**
 * LangChain tools within limits. Start the service (`npm start`), run `npm ci --prefix integrations` once, then
 * `npx node integrations/examples/langchain.ts`. The model is scripted, so no API key is needed.
 */
import { deputy } from '@deputize/sdk'
import { governed } from '@deputize/sdk/langchain'
import { fakeModel } from '@langchain/core/testing'
import { AIMessage, createAgent, tool } from 'langchain'
import { z } from 'zod'

const client = deputy({ url: process.env.DEPUTY_URL ?? 'http://127.0.0.1:8420' })
const token = await client.issueL1({
  developer_email: 'dev@example.com',
  agent_id: 'calendar-bot',
  resources: ['calendar:work'],
  actions: ['read'],
})
const agent = client.withAuthority(token)

// Ordinary tools.
const readEvents = tool(
  async ({ calendar }: { calendar: string }) => `stand-up (${calendar}), lunch (${calendar})`,
  {
    name: 'read_events',
    description: 'Reads the events of a calendar',
    schema: z.object({ calendar: z.string() }),
  },
)
const deleteEvent = tool(async ({ event }: { event: string }) => `${event} is gone`, {
  name: 'delete_event',
  description: 'Deletes an event',
  schema: z.object({ event: z.string() }),
})

const bot = createAgent({
  model: scriptedModel(), // your model goes here
  // The same tools, but each call is authorized first and recorded after. They also work in a ToolNode of LangGraph.
  tools: governed([readEvents, deleteEvent], agent, {
    tools: {
      read_events: {
        action: 'read',
        resource: ({ calendar }: { calendar: string }) => `calendar:${calendar}`,
      },
      delete_event: { action: 'delete', resource: 'calendar:work' },
    },
  }),
})

const { messages } = await bot.invoke({ messages: [{ role: 'user', content: 'Clear my day.' }] })
for (const message of messages) if (message.type === 'tool') console.log(`${message.name}: ${message.text}`)
console.log(messages.at(-1)?.text)
const { data } = await client.listRecords({ provenance_ref: token.provenance_ref })
for (const { action, resource, result } of data) console.log(`recorded: ${action} ${resource} ${result}`)

/** A model that reads, tries to delete, and gives up. */
function scriptedModel() {
  return fakeModel()
    .respondWithTools([{ name: 'read_events', args: { calendar: 'work' }, id: 'call_1' }])
    .respondWithTools([{ name: 'delete_event', args: { event: 'lunch' }, id: 'call_2' }])
    .respond(new AIMessage('I may not delete it. Please ask for me.'))
}
