import { ID_PREFIXES } from '@deputize/protocol'
import type { Deputy } from '@deputize/sdk'
import { type Command, InvalidArgumentError } from 'commander'
import { print } from '../client/call-command.ts'
import { connect } from '../client/connection.ts'
import { addConnectionOptions, type ConnectionOptions } from '../client/connection-options.ts'
import { UsageError } from '../client/exit.ts'
import { callingCommand, running } from '../client/running.ts'
import { EXIT } from '../exit-codes.ts'
import { facts } from '../terminal/facts.ts'
import { progressLine } from '../terminal/progress-line.ts'
import { type Screen, screenOf } from '../terminal/screen.ts'
import { agentName, dollars, moment } from '../terminal/words.ts'
import { approvalFacts } from './approvals.ts'
import { drawLineage } from './show/lineage.ts'
import { drawTokens } from './show/token-tree.ts'
import { drawWorkflow, readWorkflow } from './show/workflow.ts'

const DEFAULT_LIMIT = 200

interface ShowOptions extends ConnectionOptions {
  readonly limit: number
}

/** `deputy show`: draws a token, workflow, action record, denial or approval by its ID. */
export function addShowCommand(program: Command): void {
  const command = callingCommand(
    program,
    'show',
    'draw a token with its tree, a workflow, or an action with its causes',
  )
    .summary('draw a token tree, a workflow, or an action with its causes')
    .argument('<id>', 'token (vat_...), workflow (prov_...), record (aar_...), denial or approval')
    .option('--limit <number>', 'maximum number of actions or tokens to draw', readLimit, DEFAULT_LIMIT)
  addConnectionOptions(command).action((id: string, options: ShowOptions) =>
    running(options, async () => {
      const { client } = await connect(options)
      const { answer, draw } = await lookUp(client, id, options)
      print(options, answer, () => draw(screenOf(process.stdout, process.env)))
      return EXIT.done
    }),
  )
}

function readLimit(text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new InvalidArgumentError('It must be a number from 1 to 999999.')
  return Number(text)
}

/** The output of --json, and the drawing. */
interface Shown {
  readonly answer: unknown
  readonly draw: (screen: Screen) => string
}

async function lookUp(client: Deputy, id: string, { limit }: ShowOptions): Promise<Shown> {
  const { root_token, sub_token, workflow, record, denial, approval } = ID_PREFIXES
  if (id.startsWith(root_token) || id.startsWith(sub_token)) return showToken(client, id, limit)
  if (id.startsWith(workflow)) return showWorkflow(client, id, limit)
  if (id.startsWith(record)) {
    const answer = await client.getLineage({ id })
    return { answer, draw: (screen) => drawLineage(answer, screen) }
  }
  if (id.startsWith(denial)) {
    const answer = await client.getDenial({ id })
    return { answer, draw: () => denialFacts(answer) }
  }
  if (id.startsWith(approval)) {
    const answer = await client.getApproval({ id })
    return { answer, draw: () => approvalFacts(answer) }
  }
  throw new UsageError(
    `"${id}" isn't an ID. IDs start with ${Object.values(ID_PREFIXES).slice(0, -1).join(', ')}.`,
  )
}

async function showToken(client: Deputy, jti: string, limit: number): Promise<Shown> {
  const { data: chain } = await client.getTokenChain({ jti })
  const descendants = []
  const progress = progressLine(process.stderr)
  for await (const token of client.listDescendants.all({ jti })) {
    if (descendants.length === limit) break
    descendants.push(token)
    progress.show(`${descendants.length} tokens read`)
  }
  progress.clear()
  const isCut = descendants.length === limit
  const answer = { chain, descendants }
  return { answer, draw: (screen) => drawTokens(answer, screen) + (isCut ? cutNotice(limit, 'tokens') : '') }
}

async function showWorkflow(client: Deputy, ref: string, limit: number): Promise<Shown> {
  const workflow = await readWorkflow(client, ref, limit)
  const { total_records, has_more } = workflow.graph
  const rest = has_more ? cutNotice(limit, `of ${total_records} actions`) : ''
  return { answer: workflow, draw: (screen) => drawWorkflow(workflow, screen) + rest }
}

function cutNotice(limit: number, what: string): string {
  return `Showing the first ${limit} ${what}. Use --limit to show more.\n`
}

function denialFacts(denial: Awaited<ReturnType<Deputy['getDenial']>>): string {
  return facts([
    ['denial', denial.denial_id],
    ['reasons', denial.reasons.join(', ')],
    ['action', `${denial.action} ${denial.resource}`],
    ['spend', dollars(denial.spend_usd)],
    ['agent', agentName(denial.agent_id)],
    ['token', denial.vat_jti],
    ['workflow', denial.provenance_ref],
    ['denied', moment(denial.created_at)],
  ])
}
