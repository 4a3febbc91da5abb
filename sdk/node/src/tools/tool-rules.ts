import { roundedUsd } from '../actions/rounded-usd.ts'

// Declared as a method, so that a function of a tool's own input type is assignable to one of `unknown`.
type OfInput<Input, Value> = { from(input: Input): Value }['from']

/** The action and resource of a tool call, as tokens name them. */
export interface ToolRule<Input = unknown> {
  /** `{tool}` is replaced by the name of the tool. Default: `call`. */
  readonly action?: string | undefined
  /** A text in which `{tool}` is replaced, or a function of the input. Default: `tool:{tool}`. */
  readonly resource?: string | OfInput<Input, string> | undefined
  /** The cost of a call in US dollars. Reserved before the call and spent after it. */
  readonly spend_usd?: number | OfInput<Input, number | undefined> | undefined
  /** Whether a call that needs an approval waits for it or is denied at once. Default: `wait`. */
  readonly approval?: 'wait' | 'refuse' | undefined
  /** Whether people see the arguments, or only their hash is kept. Default: `show`. */
  readonly arguments?: 'show' | 'hide' | undefined
}

/** Rules by tool name, and a rule for all other tools. */
export interface ToolRules<Tools = Readonly<Record<string, ToolRule>>> {
  readonly tools?: Tools | undefined
  readonly default?: ToolRule | undefined
}

/** A rule applied to one call. */
export interface AppliedRule {
  readonly action: string
  readonly resource: string
  readonly spend_usd: number | undefined
  readonly approval: 'wait' | 'refuse'
  readonly arguments: 'show' | 'hide'
}

const RULE_MEMBERS = ['action', 'resource', 'spend_usd', 'approval', 'arguments']

/** Returns a function that applies the rules. Throws a TypeError for unknown tools and members, which would never apply. */
export function readToolRules(rules: ToolRules<object>, tools?: readonly string[]) {
  const own = new Map<string, ToolRule>(Object.entries(rules.tools ?? {}))
  for (const [name, rule] of own) {
    if (tools !== undefined && !tools.includes(name))
      throw new TypeError(
        `There is a rule for ${name}, but no tool of that name. Tools: ${tools.join(', ')}.`,
      )
    checkRule(`tools.${name}`, rule)
  }
  if (rules.default !== undefined) checkRule('default', rules.default)
  return (tool: string, input: unknown): AppliedRule => {
    const rule = { ...setMembers(rules.default), ...setMembers(own.get(tool)) }
    const { action = 'call', resource = 'tool:{tool}', spend_usd, approval = 'wait' } = rule
    const { arguments: shown = 'show' } = rule
    const filled = (text: string) => text.replaceAll('{tool}', () => tool)
    return {
      action: filled(action),
      resource: typeof resource === 'string' ? filled(resource) : resource(input),
      spend_usd: typeof spend_usd === 'function' ? spend_usd(input) : spend_usd,
      approval,
      arguments: shown,
    }
  }
}

/** Returns the members that are set. */
function setMembers(rule: ToolRule | undefined): ToolRule {
  return Object.fromEntries(Object.entries(rule ?? {}).filter(([, value]) => value !== undefined))
}

function checkRule(path: string, rule: ToolRule): void {
  for (const name of Object.keys(rule))
    if (!RULE_MEMBERS.includes(name))
      throw new TypeError(`${path} has an unknown member ${name}. Known members: ${RULE_MEMBERS.join(', ')}.`)
  if (typeof rule.spend_usd !== 'function') roundedUsd(rule.spend_usd)
  if (rule.approval !== undefined && !['wait', 'refuse'].includes(rule.approval))
    throw new TypeError(`${path}.approval must be wait or refuse.`)
  if (rule.arguments !== undefined && !['show', 'hide'].includes(rule.arguments))
    throw new TypeError(`${path}.arguments must be show or hide.`)
}
