// Who may use the name of an agent and the key of a program, and for whom tokens are made. As in the model, nothing of
// the server's rules is used here.

/** A caller with a credential: `key:<id>` is a developer, `human:<ref>` a person, `agent:<name>` an agent. */
export type Caller = `key:${string}` | `human:${string}` | `agent:${string}`

/** A new token: for whom it is asked, with which key, and by which caller. In open mode there is no caller. */
export type Naming = {
  readonly agent: string
  readonly key: string | undefined
  readonly caller: Caller | undefined
}

/** What the rules look up about tokens and suspensions. */
export type Past = {
  /** Whether the agent has a token. */
  hasToken(agent: string): boolean
  /** Whether the agent has passed on authority to the other one. */
  hasPassedOn(from: string, to: string): boolean
  isAsleep(agent: string): boolean
}

export class Names {
  private readonly owners = new Map<string, Caller>()
  /** `<agent> <key>` */
  private readonly keys = new Set<string>()
  /** People who want no token in their name. */
  readonly refusing = new Set<string>()
  private readonly past: Past

  constructor(past: Past) {
    this.past = past
  }

  /** The agents that have used a key. */
  private withKey(key: string): string[] {
    return [...this.keys].filter((one) => one.endsWith(` ${key}`)).map((one) => one.split(' ')[0] ?? '')
  }

  /** An agent answers to itself, to its owner, and to everyone to whom an owner that is an agent answers. */
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

  /** A name that the caller may take: without an owner and, for an agent, new or of a child that it made before. */
  private isFree(agent: string, caller: Caller): boolean {
    if (this.owners.has(agent)) return false
    if (!caller.startsWith('agent:') || !this.past.hasToken(agent)) return true
    return this.past.hasPassedOn(caller.slice('agent:'.length), agent)
  }

  /** The code of the refusal, if the name or the key is not the caller's. */
  refusal({ agent, key, caller }: Naming): 'agent_taken' | 'token_not_live' | undefined {
    if (caller === undefined) return undefined
    const holders = key === undefined ? [] : this.withKey(key)
    if (holders.some((one) => this.past.isAsleep(one))) return 'token_not_live'
    // The key of an agent is as good as its owner.
    if (holders.includes(agent)) return undefined
    if (holders.some((one) => !this.answersTo(one, caller))) return 'agent_taken'
    return this.answersTo(agent, caller) || this.isFree(agent, caller) ? undefined : 'agent_taken'
  }

  /** After a token was made: the first caller owns the name, and the key is the agent's. */
  keep({ agent, key, caller }: Naming): void {
    if (caller === undefined) return
    const isKeyHeld = key !== undefined && this.withKey(key).includes(agent)
    if (!isKeyHeld && !this.answersTo(agent, caller)) this.owners.set(agent, caller)
    if (key !== undefined) this.keys.add(`${agent} ${key}`)
  }

  /** Other names of the same programs. */
  sharing(agent: string): string[] {
    const own = [...this.keys].filter((one) => one.startsWith(`${agent} `)).map((one) => one.split(' ')[1])
    const others = own.flatMap((key = '') => this.withKey(key)).filter((one) => one !== agent)
    return [...new Set(others)]
  }

  /** The code of the refusal of a renewal. A person always renews what is theirs; a developer never renews what a person proved. */
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
