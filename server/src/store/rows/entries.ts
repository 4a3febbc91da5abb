import type { Token } from '../../domain/tokens/token.ts'
import type { Place } from '../vault.ts'
import type { Opened } from './sealed-fields.ts'

/** What the row of a record, denial or approval refers to. Each store finds it in its own way. */
export interface EntrySource {
  readonly token: Token
  name(of: 'action' | 'resource' | 'result'): string
  open(column: 'metadata' | 'note', place: Place): Opened
}
