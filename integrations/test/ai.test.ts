import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { resultHash } from '@deputize/sdk'
import { governed, ToolDenied } from '@deputize/sdk/ai'
import { generateText, simulateReadableStream, stepCountIs, streamText, tool } from 'ai'
import { MockLanguageModelV4 } from 'ai/test'
import { z } from 'zod'
import { aToken, callId, denialsOf, governedTools, type Input, type Play, recordsOf } from './a-framework.ts'

type GenerateResult = Awaited<ReturnType<MockLanguageModelV4['doGenerate']>>
type StreamResult = Awaited<ReturnType<MockLanguageModelV4['doStream']>>
type Prompt = MockLanguageModelV4['doGenerateCalls'][number]['prompt']

const usage: GenerateResult['usage'] = {
  inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 1, text: 1, reasoning: undefined },
}
const inputSchema = z.object({ name: z.string() })

/** The parts of a model's answer in a turn. */
function partsOf({ turns }: Play, index: number): GenerateResult['content'] {
  const turn = turns[index] ?? []
  if (turn.length === 0) return [{ type: 'text', text: 'done' }]
  return turn.map(({ tool, input }, at) => ({
    type: 'tool-call',
    toolCallId: callId(index, at),
    toolName: tool,
    input: JSON.stringify(input),
  }))
}

const finishReason = (parts: GenerateResult['content']): GenerateResult['finishReason'] => ({
  unified: parts[0]?.type === 'tool-call' ? 'tool-calls' : 'stop',
  raw: undefined,
})

function aModel(play: Play): MockLanguageModelV4 {
  let turn = 0
  return new MockLanguageModelV4({
    doGenerate: async () => {
      const content = partsOf(play, turn++)
      return { content, finishReason: finishReason(content), usage, warnings: [] }
    },
    doStream: async (): Promise<StreamResult> => {
      const content = partsOf(play, turn++)
      const calls = content.filter((part) => part.type === 'tool-call')
      const finish = { type: 'finish' as const, finishReason: finishReason(content), usage }
      return {
        stream: simulateReadableStream({
          chunks: [{ type: 'stream-start' as const, warnings: [] }, ...calls, finish],
        }),
      }
    },
  })
}

/** The tool results in the model's last prompt. */
function toldIn(prompt: Prompt = []): string[] {
  return prompt.flatMap((message) =>
    message.role !== 'tool'
      ? []
      : message.content.flatMap((part) =>
          part.type === 'tool-result' && 'value' in part.output ? [String(part.output.value)] : [],
        ),
  )
}

const toolsOf = ({ tools }: Play) =>
  Object.fromEntries(
    Object.entries(tools).map(([name, run]) => [
      name,
      tool({ inputSchema, execute: async (input: Input, { abortSignal }) => run(input, abortSignal) }),
    ]),
  )

async function play(given: Play): Promise<string[]> {
  const model = aModel(given)
  await generateText({
    model,
    tools: governed(toolsOf(given), given.authority, given.options),
    prompt: 'go',
    stopWhen: stepCountIs(10),
    ...(given.signal !== undefined && { abortSignal: given.signal }),
  })
  return toldIn(model.doGenerateCalls.at(-1)?.prompt)
}

governedTools('the AI SDK', play)
governedTools('the AI SDK, streamed', async (given) => {
  const model = aModel(given)
  const result = streamText({
    model,
    tools: governed(toolsOf(given), given.authority, given.options),
    prompt: 'go',
    stopWhen: stepCountIs(10),
    onError: () => undefined,
    ...(given.signal !== undefined && { abortSignal: given.signal }),
  })
  await result.consumeStream()
  return toldIn(model.doStreamCalls.at(-1)?.prompt)
})

const SEND = { tools: {}, turns: [[{ tool: 'send', input: { name: 'work' } }]] }

describe('tools of the AI SDK', () => {
  test('that stream are visible while they run and recorded with the last value', async () => {
    const { authority, provenance_ref } = await aToken()
    const states: unknown[] = []
    const sending = tool({
      inputSchema,
      async *execute({ name }: Input) {
        yield `${name} 1`
        states.push((await recordsOf(provenance_ref)).get('send')?.state)
        yield `${name} 2`
      },
    })
    const model = aModel({ ...SEND, authority })
    const { stream } = streamText({
      model,
      tools: governed({ send: sending }, authority),
      prompt: 'go',
      stopWhen: stepCountIs(3),
    })
    const outputs: unknown[] = []
    for await (const part of stream)
      if (part.type === 'tool-result') outputs.push([part.output, part.preliminary ?? false])
    assert.deepEqual(outputs, [
      ['work 1', true],
      ['work 2', true],
      ['work 2', false],
    ])
    assert.deepEqual(states, ['pending'])
    const record = (await recordsOf(provenance_ref)).get('send')
    assert.deepEqual([record?.state, record?.result_hash], ['completed', resultHash('work 2')])
  })

  test('that fail during a stream are recorded as error, abandoned ones as cancelled', async () => {
    const failing = await aToken()
    const half = async function* () {
      yield 'half'
      throw new Error('broken')
    }
    const broken = governed({ send: { execute: half } }, failing.authority)
    await assert.rejects(async () => {
      for await (const _ of broken.send.execute());
    }, /broken/)
    assert.equal((await recordsOf(failing.provenance_ref)).get('send')?.result, 'error')

    const left = await aToken()
    let hasEnded = false
    const whole = async function* () {
      try {
        yield 'half'
        yield 'whole'
      } finally {
        hasEnded = true
      }
    }
    const leaving = governed({ send: { execute: whole } }, left.authority)
    for await (const _ of leaving.send.execute()) break
    assert.ok(hasEnded)
    assert.equal((await recordsOf(left.provenance_ref)).get('send')?.result, 'cancelled')
  })

  test('that fail to clean up leave no open record', async () => {
    const { authority, provenance_ref } = await aToken()
    const untidy = async function* () {
      try {
        yield 'half'
      } finally {
        await Promise.reject(new Error('stuck'))
      }
    }
    const { send } = governed({ send: { execute: untidy } }, authority)
    await assert.rejects(async () => {
      for await (const _ of send.execute()) break
    }, /stuck/)
    assert.equal((await recordsOf(provenance_ref)).get('send')?.result, 'cancelled')
  })

  test('that return a stream without being generators are recorded with its last value', async () => {
    const { authority, provenance_ref } = await aToken()
    const parts = async function* () {
      yield 'half'
      yield 'whole'
    }
    const { send } = governed({ send: { execute: () => parts() } }, authority)
    assert.equal(await send.execute(), 'whole')
    assert.equal((await recordsOf(provenance_ref)).get('send')?.result_hash, resultHash('whole'))
  })

  test('that were denied expose the denial in the error of the call', async () => {
    const { authority, provenance_ref } = await aToken({ resources: ['tool:find'] })
    const send = tool({ inputSchema, execute: async (): Promise<string> => assert.fail('the tool was run') })
    const { steps } = await generateText({
      model: aModel({ ...SEND, authority }),
      tools: governed({ send }, authority, { on_denied: 'throw' }),
      prompt: 'go',
      stopWhen: stepCountIs(3),
    })
    const [error] = steps.flatMap(({ content }) =>
      content.flatMap((part) => (part.type === 'tool-error' ? [part.error] : [])),
    )
    assert.ok(error instanceof ToolDenied)
    assert.deepEqual(error.denial.reasons, ['resource_not_in_scope'])
    assert.equal(error.denial.denial_id, (await denialsOf(provenance_ref))[0]?.denial_id)
  })

  test('that have no execute function are rejected', async () => {
    const { authority } = await aToken()
    assert.throws(
      () => governed({ ask: tool({ inputSchema, outputSchema: z.string() }) }, authority),
      /ask has no execute/,
    )
  })

  test('keep their types', async () => {
    const { authority } = await aToken()
    const count = tool({ inputSchema, execute: async ({ name }) => ({ length: name.length }) })
    const tools = governed({ count }, authority, {
      tools: { count: { resource: ({ name }) => `tool:${name}`, spend_usd: ({ name }) => name.length } },
    })
    const options = { toolCallId: 'x', messages: [], context: {} }
    const answer = async () => {
      const counted = await tools.count.execute({ name: 'work' }, options)
      const length: number = 'length' in counted ? counted.length : 0
      // @ts-expect-error: the input has a name
      await tools.count.execute({ nmae: 'work' }, options)
      return length
    }
    assert.equal(typeof answer, 'function')
    // @ts-expect-error: there is no such tool
    assert.throws(() => governed({ count }, authority, { tools: { cuont: {} } }), TypeError)
    // @ts-expect-error: the input has no such member
    governed({ count }, authority, { tools: { count: { resource: ({ nmae }) => `tool:${nmae}` } } })
  })
})
