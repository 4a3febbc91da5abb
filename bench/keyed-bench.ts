import type { Program } from '@deputize/testing/program.ts'
import { authorizeCase, type Case, prepare } from './cases.ts'
import { alternate, type Figures, type Settings } from './compare.ts'
import { type BoundToken, proofOf, startKeyed } from './keyed-service.ts'
import { startGenerator } from './load.ts'
import { report } from './report.ts'
import { startDeputy, withDirectory } from './servers.ts'

/** No run here asks faster than this, so no proof is sent twice. */
const MOST_PER_S = 15_000

/** What it costs to prove who is calling: authorize in keyed mode beside authorize in open mode. */
export async function keyedBench(settings: Settings): Promise<void> {
  await withDirectory(async (directory) => {
    const generator = startGenerator()
    const open = await startDeputy(directory)
    const { program, url, tokens, server_key } = await startKeyed(directory)
    try {
      await new Promise((resolve) => setTimeout(resolve, 6_000)) // proofs of the first seconds would need a nonce
      const figures = await alternate(
        generator,
        by(open, authorizeCase('authorize, open mode', open.url, await prepare(open.url))),
        [
          by(program, apiKeyCase(url, tokens, server_key)),
          by(program, proofCase(url, tokens, settings.seconds)),
        ],
        settings,
      )
      report('keyed', settings, { figures }, tableOf(figures))
    } finally {
      generator.stop()
      for (const one of [open, program]) await one.kill()
    }
  })
}

function by({ process }: Program, one: Case): Case {
  return { ...one, processes: [process.pid ?? 0] }
}

/** A service that agents call asks with its own key, and shows the token that the agent showed to it. */
function apiKeyCase(url: string, tokens: readonly BoundToken[], key: string): Case {
  return {
    name: 'authorize, keyed mode, API key',
    url,
    expects: '"authorized":true',
    requests: tokens.map(({ jti, compact_jwt }) =>
      authorizeRequest(url, jti, [`Authorization: Bearer ${key}`, `Deputy-Token: ${compact_jwt}`]),
    ),
  }
}

/** Each agent asks with its own token and a proof that was never used. */
function proofCase(url: string, tokens: readonly BoundToken[], seconds: number): Case {
  return {
    name: 'authorize, keyed mode, DPoP',
    url,
    expects: '"authorized":true',
    requests: () => {
      const iat = Math.floor(Date.now() / 1000)
      return Array.from({ length: Math.ceil(seconds * MOST_PER_S) }, (_, index) => {
        const token = tokens[index % tokens.length]
        if (token === undefined) throw new Error('there are no tokens')
        return authorizeRequest(url, token.jti, [
          `Authorization: DPoP ${token.compact_jwt}`,
          `DPoP: ${proofOf(token, { htm: 'POST', htu: `${url}/v1/vat/authorize`, iat })}`,
        ])
      })
    },
  }
}

function authorizeRequest(url: string, vat_jti: string, credentials: readonly string[]): string {
  const body = JSON.stringify({ vat_jti, action: 'read', resource: 'calendar:events' })
  const lines = [
    'POST /v1/vat/authorize HTTP/1.1',
    `Host: ${new URL(url).host}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...credentials,
  ]
  return `${lines.join('\r\n')}\r\n\r\n${body}`
}

function tableOf(figures: readonly Figures[]): string[][] {
  return [
    ['case', 'requests/s', 'p50 ms', 'p99 ms', 'of open mode', 'least to most', 'processor us', 'target'],
    ...figures.map((one, index) => [
      one.name,
      one.requests_per_s.toFixed(0),
      one.p50_ms.toFixed(1),
      one.p99_ms.toFixed(1),
      one.of_floor.median.toFixed(2),
      `${one.of_floor.least.toFixed(2)} to ${one.of_floor.most.toFixed(2)}`,
      one.processor_us.toFixed(0),
      TARGETS[index] ?? '',
    ]),
  ]
}

const TARGETS = ['', '0.9', '0.5']
