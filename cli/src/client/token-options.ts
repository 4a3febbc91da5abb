import { existsSync } from 'node:fs'
import { newAgentKey } from '@deputize/sdk'
import type { Command } from 'commander'
import { readAgentKey } from './credentials.ts'
import { keeping } from './private-file.ts'
import { textIn } from './profile.ts'
import type { Input } from './schema-options.ts'

/** What issue and delegate can do with files besides their call. */
export function addTokenOptions(command: Command): Command {
  return command
    .option(
      '--bind-to <file>',
      'bind the token to the key of the agent in this file; made if it is not there',
    )
    .option('--save-token <file>', 'keep the token in this new file, for --token-file')
}

/** Makes the call with the key in, and keeps the token that comes out. */
export async function aroundToken<T extends { readonly compact_jwt: string }>(
  { bindTo, saveToken }: Input,
  call: (more: Input) => Promise<T>,
): Promise<T> {
  const bound = typeof bindTo === 'string' ? { agent_jwk: await publicKeyIn(bindTo) } : {}
  const path = typeof saveToken === 'string' ? saveToken : undefined
  return keeping(
    path,
    () => call(bound),
    ({ compact_jwt }) => compact_jwt,
  )
}

async function publicKeyIn(path: string): Promise<object> {
  if (existsSync(path)) return (await readAgentKey({ place: path, text: textIn(path) })).jwk
  const key = await newAgentKey()
  await keeping(
    path,
    () => key.exportJwk(),
    (jwk) => JSON.stringify(jwk),
  )
  return key.jwk
}
