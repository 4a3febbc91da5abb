import assert from 'node:assert/strict'
import { symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { temporaryDirectory } from '@deputize/testing/scope.ts'
import { backUp } from '../../src/backup/back-up.ts'
import { checkData, Uncheckable } from '../../src/check/check-data.ts'
import { stopInDirectory } from '../../src/stop/stop-directly.ts'
import { ForeignDirectory, hasStore } from '../../src/store/sqlite/has-store.ts'

/** A store that no user can read, not even root. */
function anUnreadableDirectory(scope: Parameters<typeof temporaryDirectory>[0]): string {
  const directory = temporaryDirectory(scope)
  symlinkSync('deputy.db', join(directory, 'deputy.db'))
  return directory
}

function aBackup(data_dir: string, to: string, scratch = data_dir) {
  return backUp({
    place: { data_dir },
    to,
    passphrase: 'quince-anchor-violin-meadow',
    checkpoint_file: join(data_dir, 'checkpoint'),
    scratch,
    checks_content: true,
    onProgress: () => {},
  })
}

describe('a data directory that this user cannot read', () => {
  test('is not mistaken for an empty one', (t) => {
    assert.equal(hasStore(temporaryDirectory(t)), false)
    assert.throws(() => hasStore(anUnreadableDirectory(t)), ForeignDirectory)
  })

  test('is named by the commands that stop, check and back up', async (t) => {
    const data_dir = anUnreadableDirectory(t)
    const says = { message: /This user can't read .* Run the command as the user who runs the service/ }
    await assert.rejects(
      stopInDirectory({ data_dir }, { target: { token: 'vat_root_x' }, reason: undefined }),
      says,
    )
    await assert.rejects(checkData({ data_dir, checkpoint_file: join(data_dir, 'checkpoint') }), {
      ...says,
      name: Uncheckable.name,
    })
    await assert.rejects(aBackup(data_dir, join(temporaryDirectory(t), 'b')), says)
  })
})

describe('a backup names what to change', () => {
  test('if it cannot be written', async (t) => {
    const directory = temporaryDirectory(t)
    writeFileSync(join(directory, 'file'), '')
    const at = (option: string) => ({
      name: 'BackupRefused',
      message: new RegExp(`another place with ${option}`),
    })
    await assert.rejects(aBackup(directory, join(directory, 'file', 'b')), at('--to'))
    await assert.rejects(aBackup(directory, join(directory, 'b'), join(directory, 'none')), at('--scratch'))
  })

  test('if the directory belongs to a node', async (t) => {
    const directory = temporaryDirectory(t)
    writeFileSync(join(directory, 'master.key'), '')
    await assert.rejects(aBackup(directory, join(directory, 'b')), /directory of a node.*--database/)
  })
})
