import { existsSync } from 'node:fs'
import { newAgentKey } from '@deputize/sdk'
import type { Command } from 'commander'
import { keeping } from './private-file.ts'
import type { CommandInput } from './schema-options.ts'
import { checkedAgentKey } from './secrets.ts'
import { readTextFile } from './text-file.ts'

/** Options of `issue` and `delegate` that read or write files. */
export function addTokenOptions(command: Command): Command {
  return addSaveTokenOption(
    command.option(
      '--bind-to <file>',
      'bind the token to the agent key in this file; created if it does not exist',
    ),
  )
}

/** The token is a secret, which is not printed. */
export function addSaveTokenOption(command: Command): Command {
  return command.option('--save-token <file>', 'save the token to this new file, for --token-file')
}

/** Makes the call with the public key, and saves the token that it returns. */
export async function aroundToken<T extends { readonly compact_jwt: string }>(
  { bindTo, saveToken }: CommandInput,
  call: (more: CommandInput) => Promise<T>,
): Promise<T> {
  const bound = typeof bindTo === 'string' ? { agent_jwk: await publicKeyIn(bindTo) } : {}
  const path = typeof saveToken === 'string' ? saveToken : undefined
  return keeping(
    path,
    () => call(bound),
    ({ compact_jwt }) => compact_jwt,
  )
}

/** The public key in a file with an agent key, which is created if it does not exist. */
export async function publicKeyIn(path: string): Promise<object> {
  if (existsSync(path)) return (await checkedAgentKey({ place: path, text: readTextFile(path) })).jwk
  const key = await newAgentKey()
  await keeping(
    path,
    () => key.exportJwk(),
    (jwk) => JSON.stringify(jwk),
  )
  return key.jwk
}
