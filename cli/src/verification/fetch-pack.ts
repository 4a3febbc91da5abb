import { type InstallProgress, installPack, PackError } from '@deputize/biometrics'
import { EXIT, type ExitCode } from '../exit-codes.ts'
import { CLEAR_LINE, UPDATE_EVERY_MS } from '../terminal/progress-line.ts'

const BAR_WIDTH = 24

export interface FetchRequest {
  readonly root: string
  readonly platform?: string | undefined
  readonly json: boolean
  /** What to say at the end. */
  readonly say: (folder: string) => string
}

/** Fetches a pack, shows its progress, prints the result, and returns the exit code. */
export async function fetchPack({ root, platform, json, say }: FetchRequest): Promise<ExitCode> {
  const progress = json ? undefined : packProgress(process.stderr)
  try {
    const { folder, missing } = await installPack({ root, platform, onProgress: progress?.show })
    progress?.clear()
    const gaps = missing.map((reason) => `Without voice comparison: ${reason}\n`).join('')
    process.stdout.write(json ? `${JSON.stringify({ folder, missing })}\n` : `${say(folder)}${gaps}`)
    return EXIT.done
  } catch (error) {
    progress?.clear()
    if (!(error instanceof PackError)) throw error
    process.stderr.write(json ? `${JSON.stringify({ error: error.message })}\n` : `${error.message}\n`)
    return EXIT.unreachable
  }
}

interface PackProgress {
  show(progress: InstallProgress): void
  clear(): void
}

interface ProgressStream {
  readonly isTTY?: boolean
  write(text: string): unknown
}

/** A progress bar on a terminal; elsewhere one line for each package. */
export function packProgress(stream: ProgressStream): PackProgress {
  if (!stream.isTTY) return { show: ({ doing }) => void stream.write(`${doing}\n`), clear: () => undefined }
  let shown_ms = -UPDATE_EVERY_MS
  return {
    show(progress) {
      if (performance.now() - shown_ms < UPDATE_EVERY_MS) return
      shown_ms = performance.now()
      stream.write(`${CLEAR_LINE}${bar(progress)}`)
    },
    clear: () => void stream.write(CLEAR_LINE),
  }
}

function bar({ done_bytes, total_bytes, doing }: InstallProgress): string {
  const share = total_bytes === 0 ? 0 : done_bytes / total_bytes
  const filled = '█'.repeat(Math.floor(share * BAR_WIDTH)).padEnd(BAR_WIDTH, '░')
  return `${filled} ${`${Math.floor(share * 100)}`.padStart(3)} %  ${doing}`
}
