import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { resultHash } from '@deputize/sdk'
import { governed, governing, ToolDenied } from '@deputize/sdk/langchain'
import type { BaseMessage } from '@langchain/core/messages'
import { RunnableLambda } from '@langchain/core/runnables'
import { fakeModel } from '@langchain/core/testing'
import {
  Command,
  END,
  interrupt,
  MemorySaver,
  MessagesAnnotation,
  START,
  StateGraph,
} from '@langchain/langgraph'
import { ToolNode, toolsCondition } from '@langchain/langgraph/prebuilt'
import { AIMessage, createAgent, createMiddleware, ToolMessage, tool, toolErrorMiddleware } from 'langchain'
import { z } from 'zod'
import {
  aToken,
  callId,
  client,
  denialsOf,
  governedTools,
  type Input,
  type Play,
  recordsOf,
} from './a-framework.ts'

const schema = z.object({ name: z.string() })

function aModel({ turns }: Pick<Play, 'turns'>) {
  const model = fakeModel()
  for (const [index, turn] of turns.entries())
    model.respondWithTools(
      turn.map(({ tool, input }, at) => ({ name: tool, args: { ...input }, id: callId(index, at) })),
    )
  return model.respond(new AIMessage('done'))
}

const toolsOf = ({ tools }: Pick<Play, 'tools'>) =>
  Object.entries(tools).map(([name, run]) =>
    tool(async (input: Input, { signal }) => run(input, signal), { name, schema, description: name }),
  )

const answersIn = (messages: readonly BaseMessage[]) =>
  messages.filter((message) => ToolMessage.isInstance(message))
const textsOf = (messages: readonly BaseMessage[]) => answersIn(messages).map(({ text }) => text)
const configOf = ({ signal }: Play) => (signal === undefined ? {} : { signal })
const GO = { messages: [{ role: 'user', content: 'go' }] }

governedTools('LangChain', async (play) => {
  const tools = governed(toolsOf(play), play.authority, play.options)
  const { messages } = await createAgent({ model: aModel(play), tools }).invoke(GO, configOf(play))
  return textsOf(messages)
})

governedTools('LangChain, by a middleware', async (play) => {
  const agent = createAgent({
    model: aModel(play),
    tools: toolsOf(play),
    middleware: [
      toolErrorMiddleware({
        onError: (error) => (error instanceof Error ? `error: ${error.name}` : undefined),
      }),
      governing(play.authority, play.options),
    ],
  })
  return textsOf((await agent.invoke(GO, configOf(play))).messages)
})

governedTools('LangGraph', async (play) => {
  const tools = governed(toolsOf(play), play.authority, play.options)
  const model = aModel(play).bindTools(tools)
  const graph = new StateGraph(MessagesAnnotation)
    .addNode('model', async ({ messages }) => ({ messages: [await model.invoke(messages)] }))
    .addNode('tools', new ToolNode(tools))
    .addEdge(START, 'model')
    .addConditionalEdges('model', toolsCondition, ['tools', END])
    .addEdge('tools', 'model')
    .compile()
  return textsOf((await graph.invoke(GO, configOf(play))).messages)
})

const SEND = [[{ tool: 'send', input: { name: 'work' } }]]
const never = (): string => assert.fail('the tool was run')
const refusing = tool(never, { name: 'send', schema, description: 'send' })

describe('tools of LangChain', () => {
  test('that were denied expose the denial in the artifact of an error message', async () => {
    const { authority, provenance_ref } = await aToken({ resources: ['tool:find'] })
    const ways = [
      { tools: governed([refusing], authority), middleware: [] },
      { tools: [refusing], middleware: [governing(authority)] },
    ]
    for (const way of ways) {
      const { messages } = await createAgent({ model: aModel({ turns: SEND }), ...way }).invoke(GO)
      const [answer] = answersIn(messages)
      assert.deepEqual([answer?.status, answer?.name, answer?.tool_call_id], ['error', 'send', callId(0, 0)])
      const [denial] = await denialsOf(provenance_ref)
      assert.deepEqual(answer?.artifact.reasons, ['resource_not_in_scope'])
      assert.match(answer?.artifact.denial_id, /^den_/)
      assert.ok(denial !== undefined)
    }
    assert.equal((await denialsOf(provenance_ref)).length, 2)
  })

  test('that were denied end the run with `throw`, if tool errors do', async () => {
    const { authority } = await aToken({ resources: ['tool:find'] })
    const middleware = [governing(authority, { on_denied: 'throw' })]
    const agent = createAgent({ model: aModel({ turns: SEND }), tools: [refusing], middleware })
    await assert.rejects(agent.invoke(GO), isDenied)
    const node = new ToolNode(governed([refusing], authority, { on_denied: 'throw' }), {
      handleToolErrors: false,
    })
    const call = { name: 'send', args: { name: 'work' }, id: 'call_1', type: 'tool_call' as const }
    await assert.rejects(node.invoke([new AIMessage({ content: '', tool_calls: [call] })]), isDenied)
  })

  test('added by another middleware are governed by the middleware', async () => {
    const { authority, provenance_ref } = await aToken({ resources: ['tool:find'] })
    const bringing = createMiddleware({ name: 'bringing', tools: [refusing] })
    const middleware = [governing(authority), bringing]
    const agent = createAgent({ model: aModel({ turns: SEND }), tools: [], middleware })
    assert.match(textsOf((await agent.invoke(GO)).messages)[0] ?? '', /Reasons: resource_not_in_scope/)
    assert.equal((await denialsOf(provenance_ref)).length, 1)
  })

  test('that interrupt the graph leave a cancelled record and are authorized again', async () => {
    const { authority, provenance_ref } = await aToken()
    const pausing = tool(({ name }: Input) => `${interrupt('sure?')}: ${name}`, {
      name: 'send',
      schema,
      description: 'send',
    })
    const ways = [
      { tools: governed([pausing], authority), middleware: [] },
      { tools: [pausing], middleware: [governing(authority)] },
    ]
    for (const [index, way] of ways.entries()) {
      const agent = createAgent({ model: aModel({ turns: SEND }), checkpointer: new MemorySaver(), ...way })
      const config = { configurable: { thread_id: String(index) } }
      await agent.invoke(GO, config)
      const { messages } = await agent.invoke(new Command({ resume: 'yes' }), config)
      assert.deepEqual(textsOf(messages), ['yes: work'])
    }
    const { data } = await client.listRecords({ provenance_ref })
    const states = data.map(({ state, result }) => `${state} ${result}`).sort()
    assert.deepEqual(states, [
      'cancelled undefined',
      'cancelled undefined',
      'completed success',
      'completed success',
    ])
  })

  test('that return content and artifact do so, allowed or denied', async () => {
    const { authority, provenance_ref } = await aToken()
    const responseFormat = 'content_and_artifact'
    const both = tool(async ({ name }: Input) => [`found ${name}`, { rows: 3 }], {
      name: 'find',
      schema,
      description: 'find',
      responseFormat,
    })
    const call = { name: 'find', args: { name: 'work' }, id: 'call_1', type: 'tool_call' as const }
    const [allowed] = governed([both], authority)
    const message = await allowed?.invoke(call)
    assert.deepEqual([message?.content, message?.artifact], ['found work', { rows: 3 }])
    assert.equal(
      (await recordsOf(provenance_ref)).get('find')?.result_hash,
      resultHash(['found work', { rows: 3 }]),
    )
    const { authority: narrow } = await aToken({ resources: ['tool:send'] })
    const [denied] = governed([both], narrow)
    const refusal = await denied?.invoke(call)
    assert.deepEqual([refusal?.status, refusal?.artifact.code], ['error', 'denied'])
    assert.match(String(await denied?.invoke({ name: 'work' })), /Not done: find/) // called by a program, which reads text
  })

  test('that stream are recorded when they end', async () => {
    const { authority, provenance_ref } = await aToken()
    const states: unknown[] = []
    const parts = tool(
      async function* ({ name }: Input) {
        yield `${name} 1`
        states.push((await recordsOf(provenance_ref)).get('find')?.state)
        return `${name} 2`
      },
      { name: 'find', schema, description: 'find' },
    )
    const heard: unknown[] = []
    const [find] = governed([parts], authority)
    const answer = await find?.invoke(
      { name: 'work' },
      { callbacks: [{ handleToolEvent: (chunk: unknown) => void heard.push(chunk) }] },
    )
    assert.deepEqual([answer, heard, states], ['work 2', ['work 1'], ['pending']])
    const record = (await recordsOf(provenance_ref)).get('find')
    assert.deepEqual([record?.state, record?.result_hash], ['completed', resultHash('work 2')])
  })

  test('with an invalid input are not authorized', async () => {
    const { authority, provenance_ref } = await aToken({ resources: ['tool:find'] })
    const [send] = governed([refusing], authority)
    // @ts-expect-error: the input has a name
    await assert.rejects(async () => send?.invoke({ nmae: 'work' }))
    assert.equal((await denialsOf(provenance_ref)).length, 0)
  })

  test('that have no _call method or do not exist are rejected', async () => {
    const { authority } = await aToken()
    const elsewhere = RunnableLambda.from((input: Input) => input.name).asTool({ name: 'ask', schema })
    assert.throws(() => governed([elsewhere], authority), /ask has no _call/)
    assert.throws(() => governed([refusing], authority, { tools: { sned: {} } }), TypeError)
  })

  test('keep their types and classes', async () => {
    const { authority } = await aToken()
    const count = tool(async ({ name }: Input) => name.length, {
      name: 'count',
      schema,
      description: 'count',
    })
    const [counting] = governed([count], authority)
    assert.ok(counting instanceof count.constructor)
    assert.equal(counting?.schema, schema)
    const same: typeof count | undefined = counting
    assert.equal(same?.name, 'count')
  })
})

/** Whether an error is a denial, itself or as the cause of LangChain's error for middleware. */
function isDenied(error: unknown): boolean {
  const denied = error instanceof ToolDenied ? error : error instanceof Error ? error.cause : undefined
  return denied instanceof ToolDenied && denied.denial.reasons.includes('resource_not_in_scope')
}
