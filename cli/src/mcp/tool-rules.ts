import { isObject, type JsonObject } from './messages.ts'

/** What a call of a tool is, in the words of the service. */
export interface ToolRule {
  readonly action: string
  readonly resource: string
  readonly spend_usd: number | undefined
  /** Whether the call waits while a human decides, or comes back at once. */
  readonly approval: 'wait' | 'refuse'
}

export interface ToolRules {
  readonly server: string
  /** What becomes of calls while the service cannot be asked. */
  readonly on_unavailable: 'deny' | 'allow'
  ruleFor(tool: string): ToolRule
}

/** The mapping does not fit. */
export class RulesError extends Error {
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super(problems.join(' '))
    this.name = 'RulesError'
    this.problems = problems
  }
}

const MEMBERS = ['server', 'tools', 'default', 'on_unavailable']
const RULE_MEMBERS = ['action', 'resource', 'spend_usd', 'approval']

/** Reads a mapping. `name` is what the command line calls the server; it wins over the mapping. */
export function readToolRules(document: unknown, name: string | undefined): ToolRules {
  const problems = problemsOf(document, name)
  if (problems.length > 0 || !isObject(document)) throw new RulesError(problems)
  const server = name ?? String(document.server)
  const tools = new Map(Object.entries(isObject(document.tools) ? document.tools : {}))
  const fallback = isObject(document.default) ? document.default : {}
  return {
    server,
    on_unavailable: document.on_unavailable === 'allow' ? 'allow' : 'deny',
    ruleFor(tool) {
      const own = tools.get(tool)
      return ruleOf({ ...fallback, ...(isObject(own) ? own : {}) }, server, tool)
    },
  }
}

function ruleOf(
  { action = 'call', resource = 'mcp:{server}', spend_usd, approval }: JsonObject,
  server: string,
  tool: string,
): ToolRule {
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
  }
}

function problemsOf(document: unknown, name: string | undefined): string[] {
  if (!isObject(document)) return ['The mapping has to be an object.']
  const { server, tools, on_unavailable } = document
  const rules: [string, unknown][] = [
    ...(document.default === undefined ? [] : [['default', document.default] as [string, unknown]]),
    ...(isObject(tools)
      ? Object.entries(tools).map(([tool, rule]) => [`tools.${tool}`, rule] as [string, unknown])
      : []),
  ]
  return [
    ...strangersIn('The mapping', document, MEMBERS),
    ...(server !== undefined && typeof server !== 'string' ? ['server has to be a text.'] : []),
    ...(name === undefined && server === undefined
      ? ['Name the server: --server, or server in the mapping.']
      : []),
    ...(tools !== undefined && !isObject(tools) ? ['tools has to be an object.'] : []),
    ...(isOneOf(on_unavailable, ['deny', 'allow']) ? [] : ['on_unavailable has to be deny or allow.']),
    ...rules.flatMap(([place, rule]) => ruleProblems(place, rule)),
  ]
}

function ruleProblems(place: string, rule: unknown): string[] {
  if (!isObject(rule)) return [`${place} has to be an object.`]
  const { action, resource, spend_usd, approval } = rule
  return [
    ...strangersIn(place, rule, RULE_MEMBERS),
    ...(action === undefined || typeof action === 'string' ? [] : [`${place}.action has to be a text.`]),
    ...(resource === undefined || typeof resource === 'string'
      ? []
      : [`${place}.resource has to be a text.`]),
    ...(spend_usd === undefined || (typeof spend_usd === 'number' && spend_usd >= 0)
      ? []
      : [`${place}.spend_usd has to be an amount.`]),
    ...(isOneOf(approval, ['wait', 'refuse']) ? [] : [`${place}.approval has to be wait or refuse.`]),
  ]
}

/** A misspelled limit would be no limit. */
function strangersIn(place: string, object: JsonObject, names: readonly string[]): string[] {
  return Object.keys(object)
    .filter((member) => !names.includes(member))
    .map((member) => `${place} has no member ${member}; there are ${names.join(', ')}.`)
}

function isOneOf(value: unknown, words: readonly string[]): boolean {
  return value === undefined || words.some((word) => word === value)
}
