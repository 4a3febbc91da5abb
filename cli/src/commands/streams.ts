import type { SignalStream } from '@deputize/sdk'
import type { Command } from 'commander'
import { addCallCommand, type ResponseOf } from '../client/call-command.ts'
import { callingCommand } from '../client/running.ts'
import { facts } from '../terminal/facts.ts'
import type { Screen } from '../terminal/screen.ts'
import { table } from '../terminal/table.ts'
import { moment } from '../terminal/words.ts'

type StreamState = ResponseOf<'getStreamStatus'>

const ID = { args: ['stream_id'] } as const

/** `deputy streams`: lists, pauses and deletes the streams that tell gateways what was revoked. */
export function addStreamsCommand(program: Command): void {
  const streams = callingCommand(program, 'streams', 'list, pause and delete streams of signals')
  addCallCommand(streams, {
    name: 'list',
    operation: 'readStreams',
    summary: 'list streams',
    without: ['stream_id'],
    say: (answer, screen) => streamTable([answer].flat(), screen),
    isDefault: true,
  })
  addCallCommand(streams, {
    name: 'show',
    operation: 'readStreams',
    summary: 'show a stream',
    ...ID,
    required: ['stream_id'],
    say: (answer) => [answer].flat().map(streamFacts).join('\n'),
  })
  addCallCommand(streams, { name: 'status', operation: 'getStreamStatus', ...ID, say: stateWords })
  addCallCommand(streams, {
    name: 'pause',
    operation: 'updateStreamStatus',
    summary: 'pause a stream: signals wait until it is enabled',
    ...ID,
    without: ['status'],
    around: (_options, call) => call({ status: 'paused' }),
    say: stateWords,
  })
  addCallCommand(streams, {
    name: 'enable',
    operation: 'updateStreamStatus',
    summary: 'enable a stream: waiting signals are delivered',
    ...ID,
    without: ['status'],
    around: (_options, call) => call({ status: 'enabled' }),
    say: stateWords,
  })
  addCallCommand(streams, {
    name: 'delete',
    operation: 'deleteStream',
    ...ID,
    say: ({ stream_id }) => `${stream_id}\ndeleted\n`,
  })
}

function streamTable(streams: readonly SignalStream[], screen: Screen): string {
  if (streams.length === 0) return 'no streams\n'
  return table(
    [
      { title: 'id', cell: ({ stream_id }) => stream_id, whole: true },
      { title: 'delivery', cell: deliveryWord, whole: true },
      { title: 'address', cell: ({ delivery }) => delivery.endpoint_url },
      { title: 'created by', cell: ({ created_by = '' }) => created_by, whole: true },
    ],
    streams,
    screen,
  )
}

function streamFacts(stream: SignalStream): string {
  return facts([
    ['stream', stream.stream_id],
    ['delivery', deliveryWord(stream)],
    ['address', stream.delivery.endpoint_url],
    ['audience', stream.aud],
    ['events', stream.events_delivered.map((uri) => uri.slice(uri.lastIndexOf('/') + 1)).join(', ')],
    ['created', moment(stream.created_at)],
    ['created by', stream.created_by],
    ['about', stream.description],
  ])
}

function deliveryWord({ delivery }: SignalStream): string {
  return delivery.method === 'urn:ietf:rfc:8935' ? 'push' : 'poll'
}

function stateWords({ stream_id, status, reason }: StreamState): string {
  return `${stream_id}\n${status}${reason === undefined ? '' : ` (${reason})`}\n`
}
