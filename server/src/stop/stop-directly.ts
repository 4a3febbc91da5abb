import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { AuthorityError } from '@deputize/protocol'
import { submitDirectly } from '../clerk/submit-directly.ts'
import { assertNotMoved } from '../deployment/moved.ts'
import { isExpectedFailure } from '../expected-failure.ts'
import { checkingKeys, readCheckingKeys } from '../keys/key-ring.ts'
import { readSharedKeys } from '../keys/shared-keys.ts'
import { dataProblem } from '../start-problem.ts'
import type { WriteStore } from '../store/port/write-store.ts'
import type { ReadStore } from '../store/port.ts'
import { addressOf } from '../store/postgres/address.ts'
import { primaryPool } from '../store/postgres/connect.ts'
import { clockWithin } from '../store/postgres/database-time.ts'
import type { MigrationListener } from '../store/postgres/migrate.ts'
import { postgresReadStore } from '../store/postgres/read/read-store.ts'
import { sealedKeysTable } from '../store/postgres/sealed-keys.ts'
import { postgresWriteStore } from '../store/postgres/write/write-store.ts'
import { DirectoryInUse, lockDataDirectory } from '../store/sqlite/directory-lock.ts'
import { hasStore } from '../store/sqlite/has-store.ts'
import type { RecoveryListener } from '../store/sqlite/journal/replay.ts'
import { sqliteReadStore } from '../store/sqlite/read/read-store.ts'
import { makeRoomToOpen, openReserve } from '../store/sqlite/reserve.ts'
import { sqliteWriteStore } from '../store/sqlite/write/write-store.ts'
import { carryOutStop, type StopOrder, type StopReport } from './stop-order.ts'
import { requestStop, StopFailed, StopRefused } from './stop-requests.ts'

export { ExpectedFailure } from '../expected-failure.ts'
export type { StopOrder, StopReport } from './stop-order.ts'
export { StopFailed, StopRefused } from './stop-requests.ts'

export interface DirectoryPlace extends RecoveryListener {
  readonly data_dir: string
}

/** Stops something in a data directory: through the service that uses it, or directly if none does. */
export async function stopInDirectory(place: DirectoryPlace, order: StopOrder): Promise<StopReport> {
  try {
    return await stopSomehow(place, order)
  } catch (error) {
    const problem = isExpectedFailure(error) ? undefined : dataProblem(error, place.data_dir)
    if (problem === undefined) throw error
    throw new StopFailed(problem)
  }
}

async function stopSomehow(place: DirectoryPlace, order: StopOrder): Promise<StopReport> {
  const { data_dir } = place
  if (!hasStore(data_dir))
    throw new StopFailed(`There is no deployment in ${data_dir}. Name its data directory with --data.`)
  assertNotMoved(data_dir)
  const direct = await stopAlone(place, order)
  const report = direct ?? (await requestStop(data_dir, order)) ?? (await stopAlone(place, order))
  if (report !== undefined) return report
  throw new StopFailed(
    `A process uses ${data_dir} and did not carry out the order. End that process, then repeat the command.`,
    true,
  )
}

/** Returns undefined while another process uses the directory. */
async function stopAlone(place: DirectoryPlace, order: StopOrder): Promise<StopReport | undefined> {
  const { data_dir, onLeftOut = () => {} } = place
  const lock = lockOf(data_dir)
  if (lock === undefined) return undefined
  try {
    const { instance, vault_key } = readCheckingKeys(data_dir)
    const file = join(data_dir, 'deputy.db')
    const reserve = openReserve(join(data_dir, 'reserve'))
    makeRoomToOpen(data_dir, reserve)
    const writer = sqliteWriteStore({ file, instance, vault_key, clock: Date.now, reserve, onLeftOut })
    const reader = sqliteReadStore(file, vault_key)
    return await stopIn(writer, reader, order)
  } finally {
    lock.release()
  }
}

function lockOf(data_dir: string): { release(): void } | undefined {
  try {
    return lockDataDirectory(data_dir)
  } catch (error) {
    if (error instanceof DirectoryInUse) return undefined
    throw error
  }
}

export interface DatabasePlace extends MigrationListener {
  readonly url: string
  readonly master_key_file: string
  readonly allow_unsafe: boolean
}

/** Stops something in a shared database, whether nodes use it or not. Nodes see it at their next request. */
export async function stopInDatabase(
  { url, master_key_file, allow_unsafe, ...listener }: DatabasePlace,
  order: StopOrder,
): Promise<StopReport> {
  const place = `the database at ${addressOf(url)}`
  const pool = primaryPool(url, 'stop', 2)
  try {
    const sealed = await sealedKeysTable(pool, place)
      .read()
      .catch((cause) => {
        throw new StopFailed(`There is no deployment in ${place}, or it cannot be read: ${cause.message}`)
      })
    const { instance, vault_key } = checkingKeys(readSharedKeys(sealed, place, master_key_file), place)
    const writer = await postgresWriteStore({
      url,
      instance,
      vault_key,
      clock: await clockWithin(pool),
      writer_id: randomUUID(),
      allow_unsafe,
      ...listener,
    })
    return await stopIn(writer, postgresReadStore(pool, vault_key), order)
  } catch (error) {
    await pool.end().catch(() => {}) // the reader has ended it already, if it was opened
    throw error
  }
}

/** Carries out the order. The store's clock only gives the leaf its time, which is never before the last leaf's. */
async function stopIn(writer: WriteStore, reader: ReadStore, order: StopOrder): Promise<StopReport> {
  try {
    return await carryOutStop(order, { reader, submit: submitDirectly(writer) })
  } catch (error) {
    if (error instanceof AuthorityError) throw new StopRefused(error.code, error.message)
    throw error
  } finally {
    await reader.close()
    await writer.close()
  }
}
