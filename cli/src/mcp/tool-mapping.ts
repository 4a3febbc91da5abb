import { isObject } from '@deputize/protocol'
import { foldedLetters } from './folded-name.ts'
import { nearMethod } from './mcp-methods.ts'
import type { JsonObject } from './messages.ts'

/** The action and resource of a tool, as tokens name them. */
export interface MappedTool {
  readonly action: string
  readonly resource: string
  readonly spend_usd: number | undefined
  /** Whether a call that needs an approval waits for it or is denied at once. */
  readonly approval: 'wait' | 'refuse'
  /** Whether people see the arguments, or only a hash of them is kept. */
  readonly arguments: 'show' | 'hide'
}

/** How the tools of a server map to actions and resources. */
export interface ToolMapping {
  readonly server: string
  /** What to do with calls while the service is unavailable. */
  readonly on_unavailable: 'deny' | 'allow'
  /** Methods that pass in addition to those of the protocol. */
  readonly methods: readonly string[]
  /** Undefined if the tool is denied: it has no rule, or its name only looks like that of a tool with one. */
  ruleFor(tool: string): MappedTool | undefined
}

/** The mapping is invalid. */
export class MappingError extends Error {
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super(problems.join(' '))
    this.name = 'MappingError'
    this.problems = problems
  }
}

const MAPPING_MEMBERS = ['server', 'tools', 'default', 'on_unavailable', 'methods']
const TOOL_MEMBERS = ['action', 'resource', 'spend_usd', 'approval', 'arguments']
/** The characters that the protocol recommends. Other names need their own rule. */
const PLAIN_TOOL = /^[A-Za-z0-9_./-]{1,128}$/

/** Reads a mapping. `name`, from --server, overrides the server name in the mapping. */
export function readToolMapping(document: unknown, name: string | undefined): ToolMapping {
  const problems = mappingProblems(document, name)
  if (problems.length > 0 || !isObject(document)) throw new MappingError(problems)
  const server = name ?? String(document.server)
  const tools = new Map(Object.entries(isObject(document.tools) ? document.tools : {}))
  const folded = new Set([...tools.keys()].map(foldedLetters))
  // A mapping that lists tools denies all others, unless it has a default.
  const hasDefault = isObject(document.default) || (document.default === undefined && tools.size === 0)
  const fallback = isObject(document.default) ? document.default : {}
  return {
    server,
    on_unavailable: document.on_unavailable === 'allow' ? 'allow' : 'deny',
    methods: Array.isArray(document.methods) ? document.methods.map(String) : [],
    ruleFor(tool) {
      const own = tools.get(tool)
      if (isObject(own)) return mappedTool({ ...fallback, ...own }, server, tool)
      // A lenient server could execute the tool that has a rule, although the default was applied.
      const isNear = folded.has(foldedLetters(tool))
      if (isNear || !hasDefault || !PLAIN_TOOL.test(tool)) return undefined
      return mappedTool(fallback, server, tool)
    },
  }
}

function mappedTool(
  { action = 'call', resource = 'mcp:{server}', spend_usd, approval, arguments: shown }: JsonObject,
  server: string,
  tool: string,
): MappedTool {
  const filled = (text: unknown) =>
    String(text)
      .split(/(\{server\}|\{tool\})/)
      .map((part) => (part === '{server}' ? server : part === '{tool}' ? tool : part))
      .join('')
  return {
    action: filled(action),
    resource: filled(resource),
    spend_usd: typeof spend_usd === 'number' ? spend_usd : undefined,
    approval: approval === 'refuse' ? 'refuse' : 'wait',
    arguments: shown === 'hide' ? 'hide' : 'show',
  }
}

function mappingProblems(document: unknown, name: string | undefined): string[] {
  if (!isObject(document)) return ['The mapping must be an object.']
  const { server, tools, on_unavailable, methods } = document
  const hasRule = document.default !== undefined && document.default !== 'deny'
  const rules: [string, unknown][] = [
    ...(!hasRule ? [] : [['default', document.default] as [string, unknown]]),
    ...(isObject(tools)
      ? Object.entries(tools).map(([tool, rule]) => [`tools.${tool}`, rule] as [string, unknown])
      : []),
  ]
  return [
    ...unknownMembers('The mapping', document, MAPPING_MEMBERS),
    ...(server !== undefined && typeof server !== 'string' ? ['server must be a string.'] : []),
    ...(name === undefined && server === undefined
      ? ['The server has no name. Pass --server, or set server in the mapping.']
      : []),
    ...(tools !== undefined && !isObject(tools) ? ['tools must be an object.'] : []),
    ...(isOneOf(on_unavailable, ['deny', 'allow']) ? [] : ['on_unavailable must be deny or allow.']),
    ...methodProblems(methods),
    ...rules.flatMap(([place, rule]) => ruleProblems(place, rule)),
  ]
}

/** A near spelling of a known method could reach the server as that method. */
function methodProblems(methods: unknown): string[] {
  if (methods === undefined) return []
  if (!Array.isArray(methods) || !methods.every((method) => typeof method === 'string'))
    return ['methods must be a list of strings.']
  return methods.flatMap((method: string) => {
    const near = nearMethod(method)
    return near === undefined ? [] : [`methods lists ${method}, which servers can take for ${near}.`]
  })
}

function ruleProblems(place: string, rule: unknown): string[] {
  if (!isObject(rule)) return [`${place} must be an object.`]
  const { action, resource, spend_usd, approval, arguments: shown } = rule
  return [
    ...unknownMembers(place, rule, TOOL_MEMBERS),
    ...(action === undefined || typeof action === 'string' ? [] : [`${place}.action must be a string.`]),
    ...(resource === undefined || typeof resource === 'string'
      ? []
      : [`${place}.resource must be a string.`]),
    ...(spend_usd === undefined || (typeof spend_usd === 'number' && spend_usd >= 0)
      ? []
      : [`${place}.spend_usd must be a number, 0 or more.`]),
    ...(isOneOf(approval, ['wait', 'refuse']) ? [] : [`${place}.approval must be wait or refuse.`]),
    ...(isOneOf(shown, ['show', 'hide']) ? [] : [`${place}.arguments must be show or hide.`]),
  ]
}

/** Unknown members are rejected: a misspelled limit would be ignored. */
function unknownMembers(place: string, object: JsonObject, names: readonly string[]): string[] {
  return Object.keys(object)
    .filter((member) => !names.includes(member))
    .map((member) => `${place} has an unknown member ${member}. Known members: ${names.join(', ')}.`)
}

function isOneOf(value: unknown, words: readonly string[]): boolean {
  return value === undefined || words.some((word) => word === value)
}
