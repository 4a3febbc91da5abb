import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { resultHash } from '@deputize/sdk'
import { governed, governing, ToolDenied } from '@deputize/sdk/openai-agents'
import {
  Agent,
  type AgentInputItem,
  type Model,
  type ModelRequest,
  type ModelResponse,
  RunContext,
  Runner,
  type StreamEvent,
  ToolCallError,
  tool,
  Usage,
  webSearchTool,
} from '@openai/agents'
import { z } from 'zod'
import {
  aToken,
  callId,
  denialsOf,
  governedTools,
  type Input,
  type Play,
  recordsOf,
  type Turn,
} from './a-framework.ts'

const parameters = z.object({ name: z.string() })
const runner = new Runner({ tracingDisabled: true })

type Done = Extract<StreamEvent, { type: 'response_done' }>['response']

interface AModel extends Model {
  /** The tool results in its last request. */
  readonly told: () => readonly string[]
}

function aModel(turns: readonly Turn[]): AModel {
  let turn = 0
  let last: readonly AgentInputItem[] = []
  async function getResponse({ input }: ModelRequest): Promise<ModelResponse> {
    last = typeof input === 'string' ? [] : input
    const index = turn++
    const calls = (turns[index] ?? []).map(({ tool, input }, at) => ({
      type: 'function_call' as const,
      callId: callId(index, at),
      name: tool,
      status: 'completed' as const,
      arguments: JSON.stringify(input),
    }))
    const done = {
      type: 'message' as const,
      role: 'assistant' as const,
      status: 'completed' as const,
      content: [{ type: 'output_text' as const, text: 'done' }],
    }
    return { usage: new Usage(), output: calls.length > 0 ? calls : [done] }
  }
  return {
    getResponse,
    async *getStreamedResponse(request): AsyncIterable<StreamEvent> {
      const { output } = await getResponse(request)
      const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 }
      const response = { id: `response_${turn}`, usage, output: output as Done['output'] } // calls and messages only
      yield { type: 'response_done', response }
    },
    told: () =>
      last.flatMap((item) =>
        item.type !== 'function_call_result'
          ? []
          : [typeof item.output === 'string' ? item.output : 'text' in item.output ? item.output.text : ''],
      ),
  }
}

const optionsOf = (name: string, run: Play['tools'][string]) => ({
  name,
  description: name,
  parameters,
  execute: async (input: Input, _context?: unknown, details?: { signal?: AbortSignal }) =>
    run(input, details?.signal),
})

const signalOf = ({ signal }: Play) => (signal === undefined ? {} : { signal })

governedTools('the OpenAI Agents SDK', async (play) => {
  const plain = Object.entries(play.tools).map(([name, run]) => tool(optionsOf(name, run)))
  const model = aModel(play.turns)
  const agent = new Agent({ name: 'bot', model, tools: governed(plain, play.authority, play.options) })
  await runner.run(agent, 'go', signalOf(play))
  return model.told()
})

governedTools('the OpenAI Agents SDK, made by `governing` and streamed', async (play) => {
  const make = governing(tool, play.authority, play.options)
  const tools = Object.entries(play.tools).map(([name, run]) => make(optionsOf(name, run)))
  const model = aModel(play.turns)
  const result = await runner.run(new Agent({ name: 'bot', model, tools }), 'go', {
    stream: true,
    ...signalOf(play),
  })
  await result.completed
  return model.told()
})

const SEND: Turn = [{ tool: 'send', input: { name: 'work' } }]
const never = (): string => assert.fail('the tool was run')
const broken = (): string => {
  throw new Error('the mail is on fire')
}

describe('tools of the OpenAI Agents SDK', () => {
  test('with their own error text are recorded as error by `governing`', async () => {
    const { authority, provenance_ref } = await aToken()
    const send = governing(
      tool,
      authority,
    )({ ...optionsOf('send', broken), errorFunction: () => 'try later' })
    const model = aModel([SEND])
    await runner.run(new Agent({ name: 'bot', model, tools: [send] }), 'go')
    assert.deepEqual(model.told(), ['try later'])
    assert.equal((await recordsOf(provenance_ref)).get('send')?.result, 'error')
  })

  test('that were denied end the run with `throw` and expose the denial', async () => {
    const { authority } = await aToken({ resources: ['tool:find'] })
    const tools = governed([tool(optionsOf('send', never))], authority, { on_denied: 'throw' })
    const running = runner.run(new Agent({ name: 'bot', model: aModel([SEND]), tools }), 'go')
    await assert.rejects(running, (error) => {
      assert.ok(error instanceof ToolCallError && error.error instanceof ToolDenied)
      assert.deepEqual(error.error.denial.reasons, ['resource_not_in_scope'])
      return true
    })
  })

  test('that are agents act with part of the authority, and their actions have a cause', async () => {
    const { authority, provenance_ref } = await aToken({ resources: ['tool:find', 'tool:ask_helper'] })
    const narrower = await authority.delegate({ agent_id: 'helper', resources: ['tool:find'] })
    const find = governing(tool, narrower)(optionsOf('find', ({ name }) => `found ${name}`))
    const FIND: Turn = [{ tool: 'find', input: { name: 'work' } }]
    const helper = new Agent({ name: 'helper', model: aModel([FIND]), tools: [find] })
    const asking = helper.asTool({ toolName: 'ask_helper', toolDescription: 'ask', parameters })
    const model = aModel([[{ tool: 'ask_helper', input: { name: 'work' } }]])
    await runner.run(new Agent({ name: 'bot', model, tools: governed([asking], authority) }), 'go')
    assert.deepEqual(model.told(), ['done'])
    const records = await recordsOf(provenance_ref)
    assert.equal(records.get('find')?.agent_id, 'agent:helper')
    assert.equal(records.get('find')?.parent_aar_id, records.get('ask_helper')?.aar_id)
    assert.equal(records.get('ask_helper')?.result_hash, resultHash('done'))
  })

  test('that time out while they wait for an approval do not run and leave no open record', async () => {
    const { authority, provenance_ref } = await aToken({ constraints: { require_approval: {} } })
    const tools = governed([tool({ ...optionsOf('send', never), timeoutMs: 300 })], authority)
    const model = aModel([SEND])
    await runner.run(new Agent({ name: 'bot', model, tools }), 'go')
    assert.match(model.told()[0] ?? '', /timed out/)
    assert.equal((await recordsOf(provenance_ref)).size, 0)
  })

  test('with invalid arguments are at most recorded as error', async () => {
    const { authority, provenance_ref } = await aToken()
    const [send] = governed([tool(optionsOf('send', never))], authority)
    const told = await send?.invoke(new RunContext({}), '{"nmae":1}')
    assert.match(String(told), /error/i)
    assert.equal((await recordsOf(provenance_ref)).get('send')?.result, 'error')
  })

  test('that are not function tools or do not exist are rejected', async () => {
    const { authority, provenance_ref } = await aToken()
    assert.throws(() => governed([webSearchTool()], authority), /is not a function tool/)
    const send = tool(optionsOf('send', never))
    assert.throws(() => governed([send], authority, { tools: { sned: {} } }), TypeError)
    assert.equal((await denialsOf(provenance_ref)).length, 0)
  })

  test('renamed by the SDK are not created without their rule', async () => {
    const { authority } = await aToken()
    const tools = { 'send-mail': { resource: 'mail:out' } }
    const make = governing(tool, authority, { tools })
    assert.throws(() => make(optionsOf('send-mail', never)), /send_mail/)
    const named = governing(tool, authority, { tools: { send_mail: { resource: 'mail:out' } } })
    assert.equal(named(optionsOf('send-mail', never)).name, 'send_mail')
  })

  test('keep their types, and the name of their function', async () => {
    const { authority } = await aToken()
    const make = governing(tool, authority)
    const count = make({
      description: 'count',
      parameters,
      execute: async function count({ name }) {
        const length: number = name.length
        return length
      },
    })
    assert.equal(count.name, 'count')
    const sized = { description: 'count', parameters, name: 'other', execute: async (size: number) => size }
    // @ts-expect-error: it is called with a name, and with no number
    const other = () => make(sized)
    assert.equal(typeof other, 'function')
    const [same] = governed([count], authority)
    const kept: typeof count | undefined = same
    assert.equal(kept?.type, 'function')
  })
})
