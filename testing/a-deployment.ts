import { type Deputy, deputy, type IssuedToken, type IssueL1Input } from '@deputize/sdk'
import { freePort } from './free-port.ts'
import { aProgram, type Program } from './program.ts'
import { type TestScope, temporaryDirectory } from './scope.ts'

/** The service as a user starts it, and a client of it. */
export interface TestDeployment {
  readonly program: Program
  readonly url: string
  readonly client: Deputy
  token(changes?: Partial<IssueL1Input>): Promise<IssuedToken>
}

export async function anOpenDeployment(
  scope: TestScope,
  env: Record<string, string> = {},
): Promise<TestDeployment> {
  const program = await aProgram(scope, temporaryDirectory(scope), env)
  return deploymentOf(program, deputy({ url: program.url }))
}

/** A deployment in keyed mode. `client` has a developer's key. */
export interface KeyedDeployment extends TestDeployment {
  readonly operator: Deputy
  /** The API key of `operator`. */
  readonly operator_key: string
  /** An API key for an API that tokens name by `audience`. */
  resourceServerKey(audience: string): Promise<string>
}

export async function aKeyedDeployment(scope: TestScope): Promise<KeyedDeployment> {
  const port = await freePort()
  const env = { PORT: String(port), DEPUTY_ACCESS: 'keyed' }
  const program = await aProgram(scope, temporaryDirectory(scope), env)
  const { url } = program
  const [, setup_secret = ''] = /"setup_secret": "([^"]+)"/.exec(program.output()) ?? []
  const { key } = await deputy({ url }).setUp({ setup_secret })
  const operator = deputy({ url, key })
  const developer = await operator.createKey({ name: 'developer', role: 'developer' })
  return {
    ...deploymentOf(program, deputy({ url, key: developer.key })),
    operator,
    operator_key: key,
    async resourceServerKey(audience) {
      const made = await operator.createKey({ name: 'calendar', role: 'resource_server', audience })
      return made.key
    },
  }
}

function deploymentOf(program: Program, client: Deputy): TestDeployment {
  return {
    program,
    url: program.url,
    client,
    token: (changes = {}) =>
      client.issueL1({
        developer_email: 'dev@example.com',
        agent_id: 'calendar-bot',
        resources: ['calendar:events'],
        actions: ['read', 'write', 'delegate'],
        ...changes,
      }),
  }
}
