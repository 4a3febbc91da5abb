/**
 * AI SDK tools within limits. Start the service (`npm start`), run `npm ci --prefix integrations` once, then
 * `npx node integrations/examples/ai-sdk.ts`. The model is scripted, so no API key is needed.
 */
import { deputy } from '@deputize/sdk'
import { governed } from '@deputize/sdk/ai'
import { generateText, stepCountIs, tool } from 'ai'
import { MockLanguageModelV4 } from 'ai/test'
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
const tools = {
  read_events: tool({
    description: 'Reads the events of a calendar',
    inputSchema: z.object({ calendar: z.string() }),
    execute: async ({ calendar }) => [`stand-up (${calendar})`, `lunch (${calendar})`],
  }),
  delete_event: tool({
    description: 'Deletes an event',
    inputSchema: z.object({ event: z.string() }),
    execute: async ({ event }) => `${event} is gone`,
  }),
}

const { text, steps } = await generateText({
  model: scriptedModel(), // your model goes here
  prompt: 'Clear my day.',
  stopWhen: stepCountIs(5),
  // The same tools, but each call is authorized first and recorded after.
  tools: governed(tools, agent, {
    tools: {
      read_events: { action: 'read', resource: ({ calendar }) => `calendar:${calendar}` },
      delete_event: { action: 'delete', resource: 'calendar:work' },
    },
  }),
})

for (const part of steps.flatMap(({ content }) => content)) {
  if (part.type === 'tool-result') console.log(`${part.toolName}: ${part.output}`)
  if (part.type === 'tool-error') console.log(String(part.error))
}
console.log(text)
const { data } = await client.listRecords({ provenance_ref: token.provenance_ref })
for (const { action, resource, result } of data) console.log(`recorded: ${action} ${resource} ${result}`)

/** A model that reads, tries to delete, and gives up. */
function scriptedModel() {
  const usage = {
    inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
    outputTokens: { total: 1, text: 1, reasoning: undefined },
  }
  const turn = (unified: 'tool-calls' | 'stop') => ({
    finishReason: { unified, raw: undefined },
    usage,
    warnings: [],
  })
  const call = (toolName: string, input: object) => ({
    ...turn('tool-calls'),
    content: [{ type: 'tool-call' as const, toolCallId: toolName, toolName, input: JSON.stringify(input) }],
  })
  return new MockLanguageModelV4({
    doGenerate: [
      call('read_events', { calendar: 'work' }),
      call('delete_event', { event: 'lunch' }),
      { ...turn('stop'), content: [{ type: 'text', text: 'I may not delete it. Please ask for me.' }] },
    ],
  })
}
