// Written as a method, so that a function of the very input of a tool can stand for one of any input.
type OfInput<Input, Value> = { from(input: Input): Value }['from']

/** What a call of a tool is, in the words of the service. */
export interface ToolRule<Input = unknown> {
  /** `{tool}` is filled in. `call` when absent. */
  readonly action?: string | undefined
  /** A text in which `{tool}` is filled in, or a function of the input. `tool:{tool}` when absent. */
  readonly resource?: string | OfInput<Input, string> | undefined
  /** What a call costs, in US dollars: reserved before, spent after. */
  readonly spend_usd?: number | OfInput<Input, number | undefined> | undefined
  /** Whether the call waits while a human decides, or is refused at once. `wait` when absent. */
  readonly approval?: 'wait' | 'refuse' | undefined
}

/** A rule for each tool that has one, and a rule for all others. */
export interface ToolRules<Tools = Readonly<Record<string, ToolRule>>> {
  readonly tools?: Tools | undefined
  readonly default?: ToolRule | undefined
}

/** A rule, applied to one call. */
export interface AppliedRule {
  readonly action: string
  readonly resource: string
  readonly spend_usd: number | undefined
  readonly approval: 'wait' | 'refuse'
}

const RULE_MEMBERS = ['action', 'resource', 'spend_usd', 'approval']

/** Answers what a call is. Throws a TypeError when the rules do not fit: a misspelled limit would be no limit. */
export function readToolRules(rules: ToolRules<object>, tools?: readonly string[]) {
  const own = new Map<string, ToolRule>(Object.entries(rules.tools ?? {}))
  for (const [name, rule] of own) {
    if (tools !== undefined && !tools.includes(name))
      throw new TypeError(`There is a rule for ${name}, which is no tool.`)
    checkRule(`tools.${name}`, rule)
  }
  if (rules.default !== undefined) checkRule('default', rules.default)
  return (tool: string, input: unknown): AppliedRule => {
    const rule = { ...present(rules.default), ...present(own.get(tool)) }
    const { action = 'call', resource = 'tool:{tool}', spend_usd, approval = 'wait' } = rule
    const filled = (text: string) => text.replaceAll('{tool}', () => tool)
    return {
      action: filled(action),
      resource: typeof resource === 'string' ? filled(resource) : resource(input),
      spend_usd: typeof spend_usd === 'function' ? spend_usd(input) : spend_usd,
      approval,
    }
  }
}

/** The members that are there; undefined stands for absent. */
function present(rule: ToolRule | undefined): ToolRule {
  return Object.fromEntries(Object.entries(rule ?? {}).filter(([, value]) => value !== undefined))
}

function checkRule(place: string, rule: ToolRule): void {
  for (const name of Object.keys(rule))
    if (!RULE_MEMBERS.includes(name))
      throw new TypeError(`${place} has no member ${name}; there are ${RULE_MEMBERS.join(', ')}.`)
  if (rule.approval !== undefined && !['wait', 'refuse'].includes(rule.approval))
    throw new TypeError(`${place}.approval has to be wait or refuse.`)
}
