// Rules for who may use the name of an agent and a program's key, and for whom tokens are issued. Like the model, this
// uses none of the server's rules.

/** A caller with a credential: `key:<id>` is a developer, `human:<ref>` a person, `agent:<name>` an agent. */
export type Caller = `key:${string}` | `human:${string}` | `agent:${string}`

/** A new token: its agent, its key, and the caller who requests it. In open mode there is no caller. */
export type Naming = {
  readonly agent: string
  readonly key: string | undefined
  readonly caller: Caller | undefined
}

/** What the rules look up about tokens and suspensions. */
export type Past = {
  /** Whether the agent has a token. */
  hasToken(agent: string): boolean
  /** Whether one agent has delegated to another. */
  hasPassedOn(from: string, to: string): boolean
  isAsleep(agent: string): boolean
}

export class Names {
  private readonly owners = new Map<string, Caller>()
  /** `<agent> <key>` */
  private readonly keys = new Set<string>()
  /** People who want no tokens in their name. */
  readonly refusing = new Set<string>()
  private readonly past: Past

  constructor(past: Past) {
    this.past = past
  }

  /** The agents that have used a key. */
  private withKey(key: string): string[] {
    return [...this.keys].filter((one) => one.endsWith(` ${key}`)).map((one) => one.split(' ')[0] ?? '')
  }

  /** Whether an agent answers to a caller: to itself, to its owner, and to everyone that an owning agent answers to. */
  private answersTo(agent: string, caller: Caller): boolean {
    const line: string[] = []
    for (let at: string | undefined = agent; at !== undefined && !line.includes(at); ) {
      line.push(at)
      const owner: Caller | undefined = this.owners.get(at)
      if (caller === `agent:${at}` || caller === owner) return true
      at = owner?.startsWith('agent:') ? owner.slice('agent:'.length) : undefined
    }
    return false
  }

  /**
   * Whether the caller may take a name: it has no owner and, if the caller is an agent, it is new or one that it
   * delegated to.
   */
  private isFree(agent: string, caller: Caller): boolean {
    if (this.owners.has(agent)) return false
    if (!caller.startsWith('agent:') || !this.past.hasToken(agent)) return true
    return this.past.hasPassedOn(caller.slice('agent:'.length), agent)
  }

  /** The code of the refusal if the name or the key isn't the caller's. */
  refusal({ agent, key, caller }: Naming): 'agent_taken' | 'token_not_live' | undefined {
    if (caller === undefined) return undefined
    const holders = key === undefined ? [] : this.withKey(key)
    if (holders.some((one) => this.past.isAsleep(one))) return 'token_not_live'
    // The agent's key counts as much as its owner.
    if (holders.includes(agent)) return undefined
    if (holders.some((one) => !this.answersTo(one, caller))) return 'agent_taken'
    return this.answersTo(agent, caller) || this.isFree(agent, caller) ? undefined : 'agent_taken'
  }

  /** Records a new token: its first caller owns the name, and the key belongs to the agent. */
  keep({ agent, key, caller }: Naming): void {
    if (caller === undefined) return
    const isKeyHeld = key !== undefined && this.withKey(key).includes(agent)
    if (!isKeyHeld && !this.answersTo(agent, caller)) this.owners.set(agent, caller)
    if (key !== undefined) this.keys.add(`${agent} ${key}`)
  }

  /** Other agents that have used one of this agent's keys. */
  sharing(agent: string): string[] {
    const own = [...this.keys].filter((one) => one.startsWith(`${agent} `)).map((one) => one.split(' ')[1])
    const others = own.flatMap((key = '') => this.withKey(key)).filter((one) => one !== agent)
    return [...new Set(others)]
  }

  /**
   * The code of the refusal of a renewal. A person may always renew their tokens; a developer may never renew one above
   * L1.
   */
  renewalRefusal(
    { agent, human, level }: { agent: string; human: string; level: string },
    caller: Caller | undefined,
  ): 'human_refuses' | 'agent_taken' | 'not_yours' | undefined {
    if (caller?.startsWith('key:') && level !== 'L1') return 'not_yours'
    if (this.refusing.has(human)) return 'human_refuses'
    if (caller === undefined || caller === `human:${human}`) return undefined
    return this.answersTo(agent, caller) || this.isFree(agent, caller) ? undefined : 'agent_taken'
  }
}
