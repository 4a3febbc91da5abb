import { createHash } from 'node:crypto'
import { type ArchivedFile, type ByteSource, readArchive } from '../../protocol/src/encoding/zip.ts'
import { zipArchive } from '../../server/src/operations/workflows/audit/zip-archive.ts'

export function sourceOf(bytes: Uint8Array): ByteSource {
  return {
    size: bytes.length,
    async *read(start, end) {
      yield bytes.subarray(start, end)
    },
  }
}

/** The files of an archive, by name and in order. */
export async function unzipped(archive: Uint8Array): Promise<Map<string, string>> {
  const texts = new Map<string, string>()
  for (const file of await readArchive(sourceOf(archive))) texts.set(file.name, await textOf(file))
  return texts
}

async function textOf(file: ArchivedFile): Promise<string> {
  const chunks: Uint8Array[] = []
  for await (const chunk of file.read()) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

export async function zipped(files: ReadonlyMap<string, string>): Promise<Buffer> {
  async function* entries() {
    for (const [name, text] of files) yield { name, text: chunksOf(text) }
  }
  const chunks: Uint8Array[] = []
  for await (const chunk of zipArchive(entries())) chunks.push(chunk)
  return Buffer.concat(chunks)
}

async function* chunksOf(text: string): AsyncGenerator<string> {
  yield text
}

/** Does what a clever forger would after an edit: the manifest lists the new file, and the verdict the new manifest. */
export function withNewHashes(files: ReadonlyMap<string, string>): Map<string, string> {
  const manifest = JSON.parse(files.get('manifest.json') ?? '')
  const listed = manifest.files.map(({ name }: { name: string }) => {
    const text = files.get(name) ?? ''
    return { name, bytes: Buffer.byteLength(text), sha256: hashText(text) }
  })
  const manifest_text = `${JSON.stringify({ ...manifest, files: listed }, null, 2)}\n`
  const verdict = { ...JSON.parse(files.get('verdict.json') ?? ''), manifest: hashText(manifest_text) }
  return new Map([...files, ['manifest.json', manifest_text], ['verdict.json', JSON.stringify(verdict)]])
}

function hashText(text: string): string {
  return `sha256:${createHash('sha256').update(text).digest('hex')}`
}
