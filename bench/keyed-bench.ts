import { authorizeCase, type Case, prepareIdentities, processCase, requestText } from './cases.ts'
import { alternate, type Figures, leastToMost, type Settings } from './compare.ts'
import { type BoundToken, dpopProofOf, startKeyed } from './keyed-service.ts'
import { startGenerator } from './load.ts'
import { type Columns, tableOf, writeReport } from './report.ts'
import { startDeputyProgram, withDirectory } from './servers.ts'

/** More requests per second than any run here reaches, so no proof is sent twice. */
const MOST_PER_S = 15_000

const WITH_KEY = 'authorize, keyed mode, API key'
const WITH_PROOF = 'authorize, keyed mode, DPoP'

/** Measures what authentication costs: authorize in keyed mode compared with open mode. */
export async function keyedBench(settings: Settings): Promise<void> {
  await withDirectory(async (directory) => {
    const generator = startGenerator()
    const open = await startDeputyProgram(directory)
    const { program, url, tokens, server_key } = await startKeyed(directory)
    try {
      await new Promise((resolve) => setTimeout(resolve, 6_000)) // in the first seconds of a process, proofs need a nonce
      const figures = await alternate(
        generator,
        processCase(open, authorizeCase('authorize, open mode', open.url, await prepareIdentities(open.url))),
        [
          processCase(program, apiKeyCase(url, tokens, server_key)),
          processCase(program, proofCase(url, tokens, settings.seconds)),
        ],
        settings,
      )
      writeReport('keyed', settings, { figures }, tableOf(figures, COLUMNS))
    } finally {
      generator.stop()
      for (const one of [open, program]) await one.kill()
    }
  })
}

/** A resource server calls with its API key and forwards the agent's token. */
function apiKeyCase(url: string, tokens: readonly BoundToken[], key: string): Case {
  return {
    name: WITH_KEY,
    url,
    expects: '"authorized":true',
    requests: tokens.map(({ jti, compact_jwt }) =>
      authorizeRequest(url, jti, [`Authorization: Bearer ${key}`, `Deputy-Token: ${compact_jwt}`]),
    ),
  }
}

/** Each agent calls with its own token and a new proof. */
function proofCase(url: string, tokens: readonly BoundToken[], seconds: number): Case {
  return {
    name: WITH_PROOF,
    url,
    expects: '"authorized":true',
    requests: () => {
      const iat = Math.floor(Date.now() / 1000)
      return Array.from({ length: Math.ceil(seconds * MOST_PER_S) }, (_, index) => {
        const token = tokens[index % tokens.length]
        if (token === undefined) throw new Error('there are no tokens')
        return authorizeRequest(url, token.jti, [
          `Authorization: DPoP ${token.compact_jwt}`,
          `DPoP: ${dpopProofOf(token, { htm: 'POST', htu: `${url}/v1/vat/authorize`, iat })}`,
        ])
      })
    },
  }
}

function authorizeRequest(url: string, vat_jti: string, credentials: readonly string[]): string {
  const body = JSON.stringify({ vat_jti, action: 'read', resource: 'calendar:events' })
  return requestText('POST', url, '/v1/vat/authorize', credentials, body)
}

const COLUMNS: Columns<Figures> = {
  case: ({ name }) => name,
  'requests/s': ({ requests_per_s }) => requests_per_s.toFixed(0),
  'p50 ms': ({ p50_ms }) => p50_ms.toFixed(1),
  'p99 ms': ({ p99_ms }) => p99_ms.toFixed(1),
  'of open mode': ({ of_floor }) => of_floor.median.toFixed(2),
  'least to most': ({ of_floor }) => leastToMost(of_floor),
  'processor us': ({ processor_us }) => processor_us.toFixed(0),
  target: ({ name }) => TARGETS[name] ?? '',
}

const TARGETS: Readonly<Record<string, string>> = { [WITH_KEY]: '0.9', [WITH_PROOF]: '0.5' }
