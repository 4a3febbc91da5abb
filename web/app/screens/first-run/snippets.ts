/** The first token and the first action as programs, ready to paste. Each runs as shown. */
export interface FirstToken {
  readonly developer_email: string
  readonly agent_id: string
  readonly resources: readonly string[]
  readonly actions: readonly string[]
  readonly max_spend_usd: number | undefined
}

export const LANGUAGES = [
  ['curl', 'curl'],
  ['js', 'JavaScript'],
  ['python', 'Python'],
] as const
export type Language = (typeof LANGUAGES)[number][0]

/** In keyed mode an agent proves with every call that it holds its key, which curl can't do. */
export const KEYED_LANGUAGES = [
  ['cli', 'Terminal'],
  ['js', 'JavaScript'],
  ['python', 'Python'],
] as const
export type KeyedLanguage = (typeof KEYED_LANGUAGES)[number][0]

/** The body of the call, from the form. */
export function issueBody({ developer_email, agent_id, resources, actions, max_spend_usd }: FirstToken) {
  return {
    developer_email,
    agent_id,
    resources: [...resources],
    actions: [...actions],
    ...(max_spend_usd !== undefined && { constraints: { max_spend_usd } }),
  }
}

function recordBody({ actions, resources }: FirstToken) {
  return { action: actions[0] ?? '', resource: resources[0] ?? '', result: 'success' }
}

/** Issues the token, in open mode. */
export function issueSnippet(language: Language, url: string, token: FirstToken): string {
  const body = issueBody(token)
  if (language === 'js')
    return `import { deputy } from '@deputize/sdk'

const client = deputy({ url: ${JSON.stringify(url)} })
const token = await client.issueL1({
${jsMembers(body)}
})
console.log(token.jti)`
  if (language === 'python')
    return `from deputize import Deputy

deputy = Deputy(${JSON.stringify(url)})
token = deputy.issue_l1(
${pythonArguments(body)}
)
print(token["jti"])`
  return curl(url, '/v1/vat/issue/l1', body)
}

/** Records the first action with the token, in open mode. */
export function recordSnippet(language: Language, url: string, token: FirstToken, vat_jti: string): string {
  const body = { vat_jti, ...recordBody(token) }
  if (language === 'js')
    return `import { deputy } from '@deputize/sdk'

const client = deputy({ url: ${JSON.stringify(url)} })
const record = await client.recordAction({
${jsMembers(body)}
})
console.log(record.aar_id)`
  if (language === 'python')
    return `from deputize import Deputy

deputy = Deputy(${JSON.stringify(url)})
record = deputy.record_action(
${pythonArguments(body)}
)
print(record["aar_id"])`
  return curl(url, '/v1/vat/record/action', body)
}

/** Issues a token that is bound to a key of the agent, and records the first action with it: keyed mode. */
export function keyedSnippet(language: KeyedLanguage, url: string, token: FirstToken): string {
  const body = issueBody(token)
  const record = recordBody(token)
  if (language === 'js')
    return `import { deputy, newAgentKey } from '@deputize/sdk'

const url = ${JSON.stringify(url)}
const agent_key = await newAgentKey()
const developer = deputy({ url, key: process.env.DEPUTY_API_KEY })
const token = await developer.issueL1({
${jsMembers(body)}
  agent_jwk: agent_key.jwk,
})
const agent = deputy({ url, token: token.compact_jwt, agent_key })
const record = await agent.recordAction({
  vat_jti: token.jti,
${jsMembers(record)}
})
console.log(record.aar_id)`
  if (language === 'python')
    return `import os
from deputize import AgentKey, ApiKey, Deputy, DpopToken

url = ${JSON.stringify(url)}
key = AgentKey.generate()
developer = Deputy(url, credential=ApiKey(os.environ["DEPUTY_API_KEY"]))
token = developer.issue_l1(
${pythonArguments(body)}
    agent_jwk=key.jwk,
)
agent = Deputy(url, credential=DpopToken(token["compact_jwt"], key))
record = agent.record_action(
    vat_jti=token["jti"],
${pythonArguments(record)}
)
print(record["aar_id"])`
  // With --no, npx fails if the package isn't installed, instead of downloading another package of that name.
  return `export DEPUTY_URL=${shellWord(url)}
npx --no -- deputy issue --developer-email ${shellWord(token.developer_email)} --agent-id ${shellWord(token.agent_id)} \\
  --resources ${shellWord(token.resources.join(','))} --actions ${shellWord(token.actions.join(','))}${
    token.max_spend_usd === undefined ? '' : ` --max-spend-usd ${token.max_spend_usd}`
  } \\
  --bind-to agent.jwk --save-token agent.token
npx --no -- deputy record ${shellWord(record.action)} ${shellWord(record.resource)} success --token-file agent.token --agent-key-file agent.jwk`
}

/**
 * The configuration of an MCP client that starts a server through the guard. The command is a path, because clients may
 * start it in any folder, where npx would download a stranger's package. In keyed mode the agent also proves its key.
 */
export function guardConfiguration(url: string, access: 'open' | 'keyed'): string {
  const key_lines = access === 'keyed' ? '\n        "--agent-key-file", "/path/to/agent.jwk",' : ''
  return `{
  "mcpServers": {
    "files": {
      "command": "/path/to/deputy/node_modules/.bin/deputy",
      "args": [
        "mcp-guard",
        "--url", ${JSON.stringify(url)},
        "--token-file", "/path/to/agent.token",${key_lines}
        "--server", "files", "--",
        "npx", "-y",
        "@modelcontextprotocol/server-filesystem",
        "/path/to/files"
      ]
    }
  }
}`
}

/** Sets the key that the programs of keyed mode read. */
export function keyLine(key: string | undefined): string {
  return `export DEPUTY_API_KEY=${key ?? 'dk_…'}`
}

function curl(url: string, path: string, body: object): string {
  return `curl -s ${shellWord(`${url}${path}`)} -H 'Content-Type: application/json' -d ${shellWord(JSON.stringify(body))}`
}

function jsMembers(body: object): string {
  return lines(body, (name, value) => `  ${name}: ${value},`)
}

/** Strings, numbers and lists look the same in JSON and in Python. */
function pythonArguments(body: object): string {
  return lines(body, (name, value) => `    ${name}=${value},`)
}

function lines(body: object, line: (name: string, value: string) => string): string {
  return Object.entries(body)
    .map(([name, value]) => line(name, JSON.stringify(value)))
    .join('\n')
}

/** Quotes any text as one word of a shell. */
function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}
