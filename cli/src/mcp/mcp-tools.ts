import { OPERATIONS, type OperationId } from '@deputize/protocol'
import type { JSONObject } from '@modelcontextprotocol/server'

/** The tools of `deputy mcp`: short names for operations. */
const TOOLS = {
  issue: 'issueL1',
  delegate: 'delegate',
  authorize: 'authorize',
  record: 'recordAction',
  complete: 'completeRecord',
  feedback: 'rateRecord',
  reputation: 'getReputation',
  provenance: 'getProvenance',
  revoke: 'revokeToken',
} as const satisfies Record<string, OperationId>

export type ToolOperation = (typeof TOOLS)[keyof typeof TOOLS]

export interface McpTool {
  readonly name: string
  readonly operation: ToolOperation
  readonly description: string
  readonly inputSchema: {
    readonly type: 'object'
    readonly properties: JSONObject
    readonly required: string[]
    readonly additionalProperties: false
  }
  readonly annotations: { readonly readOnlyHint: boolean; readonly destructiveHint: boolean }
}

/** Every tool, with the input schema of its operation: path, query and body in one object. */
export function mcpTools(): McpTool[] {
  return Object.entries(TOOLS).map(([name, id]) => {
    const row: ToolRow = OPERATIONS[id]
    const parts = [row.params, row.query, row.body].flatMap((part) =>
      part === undefined ? [] : [objectSchema(part)],
    )
    return {
      name,
      operation: id,
      description: [row.summary, row.description].filter((text) => text !== undefined).join('. '),
      inputSchema: {
        type: 'object',
        properties: Object.assign({}, ...parts.map(({ properties }) => properties)),
        required: parts.flatMap(({ required }) => required),
        additionalProperties: false,
      },
      annotations: { readOnlyHint: row.method === 'GET', destructiveHint: name === 'revoke' },
    }
  })
}

interface ToolRow {
  readonly method: string
  readonly summary: string
  readonly description?: string
  readonly params?: object
  readonly query?: object
  readonly body?: object
}

interface ObjectSchema {
  readonly properties: JSONObject
  readonly required: readonly string[]
}

/** The JSON schema of one part of the input. */
function objectSchema(schema: object): ObjectSchema {
  const plain = JSON.parse(JSON.stringify(schema)) as Partial<ObjectSchema>
  return { properties: plain.properties ?? {}, required: plain.required ?? [] }
}
