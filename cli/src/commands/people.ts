import { open, rm } from 'node:fs/promises'
import { type Deputy, DeputyError } from '@deputize/sdk'
import type { Command } from 'commander'
import { addCallCommand, type ResponseOf } from '../client/call-command.ts'
import { addDownloadCommand } from '../client/download-command.ts'
import { NotConfirmed, UsageError } from '../client/exit.ts'
import { callingCommand } from '../client/running.ts'
import type { SavedFile } from '../client/save-download.ts'
import type { CommandInput } from '../client/schema-options.ts'
import { confirmsStop, isAttended, ownTerminal, type Terminal } from '../terminal/confirm-stop.ts'
import { facts } from '../terminal/facts.ts'
import type { Screen } from '../terminal/screen.ts'
import { count, moment } from '../terminal/words.ts'
import { pageTable } from './page.ts'

type Person = ResponseOf<'getHuman'>

/** `deputy people`: lists, shows, exports and erases people, and refuses or accepts new tokens in their name. */
export function addPeopleCommand(program: Command): void {
  const people = callingCommand(program, 'people', 'list, show, export and erase people, refuse their tokens')
  addCallCommand(people, { name: 'list', operation: 'listHumans', say: peopleTable, isDefault: true })
  addCallCommand(people, { name: 'show', operation: 'getHuman', args: ['human_ref'], say: personFacts })
  addDownloadCommand(people, {
    name: 'export',
    summary: 'export everything about a person',
    help: 'Writes JSON Lines to a new file that only you can read: tokens, actions, denials, approvals, vouches and what else is stored about the person. Tokens are named by digest, and operators get no biometric template.',
    operation: 'exportHuman',
    args: ['human_ref'],
    download: (client, input) => client.exportHuman({ human_ref: String(input.human_ref) }),
    otherwise: 'person.ndjson',
    mode: 0o600,
    read: wholeExport,
    say: ({ file, bytes, entries }) => `${file}  ${bytes} bytes, ${count(entries, 'entry', 'entries')}\n`,
  })
  addCallCommand(people, { name: 'refuse', operation: 'refuseTokens', args: ['human_ref'], say: acceptance })
  addCallCommand(people, { name: 'accept', operation: 'acceptTokens', args: ['human_ref'], say: acceptance })
  addCallCommand(people, {
    name: 'erase',
    operation: 'eraseHuman',
    args: ['human_ref'],
    around: async (options, call, { client, input }) => {
      await assertErasureWanted(options, String(input.human_ref), client)
      return call({})
    },
    say: erasure,
  }).option('--yes', 'erase without being asked; required without a terminal and with --json')
}

interface PersonFile extends SavedFile {
  readonly entries: number
}

/** Longer than the last line of an export. */
const TAIL_BYTES = 100

/** Reads the number of entries from the last line of an export. Without that line, removes the file and throws. */
export async function wholeExport(saved: SavedFile): Promise<PersonFile> {
  const tail = (await endOf(saved)).toString()
  const entries = /^\{"end":true,"entries":(\d+)\}\n$/m.exec(tail)?.[1]
  if (entries !== undefined) return { ...saved, entries: Number(entries) }
  await rm(saved.file)
  throw new DeputyError(
    'unexpected_answer',
    'The export ended before its last line. Nothing was saved. Try again.',
  )
}

async function endOf({ file, bytes }: SavedFile): Promise<Buffer> {
  const handle = await open(file)
  try {
    const position = Math.max(0, bytes - TAIL_BYTES)
    const { buffer } = await handle.read({ position, buffer: Buffer.alloc(bytes - position) })
    return buffer
  } finally {
    await handle.close()
  }
}

/** Unlike a stop, an erasure can wait: if nobody can be asked, it requires --yes. */
export async function assertErasureWanted(
  { yes, json }: CommandInput,
  human_ref: string,
  client: Pick<Deputy, 'getHuman'>,
  terminal: Terminal = ownTerminal(),
): Promise<void> {
  if (yes === true) return
  if (json === true || !isAttended(terminal))
    throw new UsageError('Erasing a person cannot be undone. Pass --yes to erase without being asked.')
  const words = erasureWords(await client.getHuman({ human_ref }))
  if (!(await confirmsStop(words, 'Erase', terminal))) throw new NotConfirmed('Nothing was erased.')
}

/** "Revokes 2 live tokens and destroys the personal data of a person with 3 workflows; cannot be undone." */
export function erasureWords({ live_tokens, workflows }: Pick<Person, 'live_tokens' | 'workflows'>): string {
  const revoked = live_tokens === 0 ? 'Destroys' : `Revokes ${count(live_tokens, 'live token')} and destroys`
  return `${revoked} the personal data of a person with ${count(workflows, 'workflow')}; cannot be undone.`
}

function erasure({ human_ref, already_erased, erased_at, revoked_count }: ResponseOf<'eraseHuman'>): string {
  return already_erased
    ? `${human_ref}\nwas already erased at ${moment(erased_at)}\n`
    : `${human_ref}\nerased; ${count(revoked_count, 'token')} revoked\n`
}

function peopleTable(answer: ResponseOf<'listHumans'>, screen: Screen): string {
  return pageTable(answer, 'people', screen, [
    { title: 'person', cell: ({ human_ref }) => human_ref, whole: true },
    { title: 'levels', cell: ({ assurance_levels }) => assurance_levels.join(', '), whole: true },
    { title: 'live tokens', cell: ({ live_tokens }) => String(live_tokens), whole: true },
    { title: 'waiting', cell: ({ waiting }) => String(waiting), whole: true },
    { title: 'state', cell: personState, whole: true },
  ])
}

function personState({ erased_at, refused_at }: Pick<Person, 'erased_at' | 'refused_at'>): string {
  if (erased_at !== undefined) return 'erased'
  return refused_at === undefined ? '' : 'refuses tokens'
}

function acceptance({ human_ref, refuses, changed, at }: ResponseOf<'refuseTokens'>): string {
  const state = refuses ? 'refuses new tokens' : 'accepts new tokens'
  return `${human_ref}\n${state}${changed ? '' : `, as before ${moment(at)}`}\n`
}

function personFacts(person: Person): string {
  const { first_seen_at, refused_at, erased_at } = person
  return facts([
    ['person', person.human_ref],
    ['levels', person.assurance_levels.join(', ')],
    ['tokens', `${person.live_tokens} live of ${person.tokens}`],
    ['workflows', String(person.workflows)],
    ['first seen', first_seen_at === undefined ? undefined : moment(first_seen_at)],
    ['refuses tokens', refused_at === undefined ? undefined : `since ${moment(refused_at)}`],
    ['erased', erased_at === undefined ? undefined : moment(erased_at)],
  ])
}
