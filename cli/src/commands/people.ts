import type { Command } from 'commander'
import { addCallCommand, type ResponseOf } from '../client/call-command.ts'
import { callingCommand } from '../client/running.ts'
import { facts } from '../terminal/facts.ts'
import { moment } from '../terminal/words.ts'

/** `deputy people`: shows a person, and refuses or accepts new tokens in their name. */
export function addPeopleCommand(program: Command): void {
  const people = callingCommand(program, 'people', 'show people, refuse and accept tokens in their name')
  addCallCommand(people, { name: 'show', operation: 'getHuman', args: ['human_ref'], say: personFacts })
  addCallCommand(people, { name: 'refuse', operation: 'refuseTokens', args: ['human_ref'], say: acceptance })
  addCallCommand(people, { name: 'accept', operation: 'acceptTokens', args: ['human_ref'], say: acceptance })
}

function acceptance({ human_ref, refuses, changed, at }: ResponseOf<'refuseTokens'>): string {
  const state = refuses ? 'refuses new tokens' : 'accepts new tokens'
  return `${human_ref}\n${state}${changed ? '' : `, as before ${moment(at)}`}\n`
}

function personFacts(person: ResponseOf<'getHuman'>): string {
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
