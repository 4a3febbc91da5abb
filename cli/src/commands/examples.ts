import type { Command } from 'commander'
import { brokenCommand } from '../help-layout.ts'

/** The example in the help of each command. */
export const EXAMPLES: Readonly<Record<string, string>> = {
  start: '--port 8420 --data ./data',
  verify: 'https://deputy.example.com --state ~/.local/state/deputy',
  check: '--data ./data',
  stop: "--data ./data --agent trip-bot --reason 'It buys everything'",
  witness: '--name witness.example.com/w1 --log deputy.example.com/log+1a2b3c4d+AYdM...',
  verification: 'install',
  'verification install': '--data ./data',
  'verification status': '--data ./data',
  'verification bundle': './engine-pack --platform linux-arm64',
  migrate: '--database postgres://deputy@db.example.com/deputy',
  move: '--from ./data --to postgres://deputy@db.example.com/deputy',
  issue: '--developer-email dev@example.com --agent-id trip-bot --resources web:pages --actions read',
  delegate: '--vat-jti vat_root_... --agent-id page-bot --resources web:pages --actions read',
  authorize: 'buy shop:tickets --vat-jti vat_root_... --spend-usd 3',
  record: 'read web:pages success --vat-jti vat_root_...',
  complete: 'aar_... success --spend-usd 3',
  cancel: 'aar_...',
  rate: "aar_... approved --note 'Exactly what I asked for'",
  revoke: "vat_root_... --reason 'The trip is over'",
  show: 'prov_... --limit 50',
  tail: '--agent trip-bot --lines 20',
  agents: '--limit 20',
  'agents list': '--limit 20',
  'agents show': 'trip-bot',
  'agents register': 'trip-bot --key trip-bot.key',
  'agents suspend': "trip-bot --reason 'It books the wrong trips'",
  'agents resume': 'trip-bot',
  people: 'show sha256:9f2c...',
  'people show': 'sha256:9f2c...',
  'people refuse': 'sha256:9f2c...',
  'people accept': 'sha256:9f2c...',
  vouch: 'agent:trip-bot --from sha256:9f2c... --weight 0.8 --context travel',
  trust: 'show agent:trip-bot',
  'trust show': 'agent:trip-bot --context travel',
  'trust vouches': '--to agent:trip-bot',
  'trust withdraw': 'vch_...',
  'trust ranking': '--limit 10',
  'trust anchor': "sha256:9f2c... --base 0.7 --reason 'Head of travel'",
  approvals: '--state pending',
  'approvals list': '--state pending',
  'approvals show': 'apr_...',
  'approvals approve': 'apr_... --grant-minutes 30 --grant-usd 50',
  'approvals deny': "apr_... --note 'Too expensive'",
  'approvals grants': '--agent-id trip-bot',
  'approvals end-grant': 'apr_...',
  keys: '--limit 20',
  'keys list': '--limit 20',
  'keys create': '--name backend --role developer --save-key developer.key',
  'keys rotate': 'A1b2C3d4 --overlap-s 3600 --save-key developer.key.new',
  'keys delete': 'A1b2C3d4',
  'signing-keys': '--json',
  'signing-keys list': '--json',
  'signing-keys rotate': '--json',
  'signing-keys withdraw': 'NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs --from 2027-01-31T12:00:00Z',
  tenants: '--limit 20',
  'tenants list': '--limit 20',
  'tenants show': 'acme',
  'tenants create': "acme --name 'Acme Ltd'",
  'tenants update': 'acme --no-allow-bearer',
  'mcp-guard':
    '--token-file agent.token --server files -- npx -y @modelcontextprotocol/server-filesystem ~/notes',
  mcp: '--url http://127.0.0.1:8420',
  demo: '--url http://127.0.0.1:8420',
  'bio-eval': './captures --json',
  bench: '--yes --seconds 3 --connections 32',
  completion: 'bash > ~/.local/share/bash-completion/completions/deputy',
}

/** Adds its example to the help of every command below `parent`. Throws if a command has none. */
export function addExamples(parent: Command, path: readonly string[] = []): void {
  for (const command of parent.commands) {
    const words = [...path, command.name()]
    const example = EXAMPLES[words.join(' ')]
    if (example === undefined) throw new Error(`Add an example for deputy ${words.join(' ')}.`)
    command.addHelpText('after', `\nExample:\n${brokenCommand(`deputy ${words.join(' ')} ${example}`)}`)
    addExamples(command, words)
  }
}
