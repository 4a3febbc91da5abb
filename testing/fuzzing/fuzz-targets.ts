import type { FuzzTarget } from './fuzz.ts'

interface Fuzzed {
  /** The sources whose blocks count. */
  readonly sources: readonly string[]
  /** Loads the target, after counting has begun. */
  load(): Promise<FuzzTarget>
}

/** The readers of untrusted bytes. */
export const FUZZ_TARGETS: Readonly<Record<string, Fuzzed>> = {
  json: {
    sources: ['protocol/src/encoding/json.ts'],
    load: async () => (await import('./targets/json.ts')).jsonTarget,
  },
  form: {
    sources: ['server/src/http/form.ts'],
    load: async () => (await import('./targets/forms.ts')).formTarget,
  },
  token: {
    sources: [
      'protocol/src/token/jws.ts',
      'protocol/src/encoding/base64url.ts',
      'protocol/src/encoding/json.ts',
    ],
    load: async () => (await import('./targets/tokens.ts')).tokenTarget,
  },
  checkpoint: {
    sources: [
      'protocol/src/log/note.ts',
      'protocol/src/log/checkpoint.ts',
      'protocol/src/encoding/base64.ts',
    ],
    load: async () => (await import('./targets/notes.ts')).checkpointTarget,
  },
  witness: {
    sources: [
      'protocol/src/log/note.ts',
      'protocol/src/log/witnessing.ts',
      'protocol/src/encoding/base64.ts',
    ],
    load: async () => (await import('./targets/notes.ts')).witnessTarget,
  },
  tile: {
    sources: ['protocol/src/log/tiles.ts', 'protocol/src/log/merkle.ts'],
    load: async () => (await import('./targets/tiles.ts')).tileTarget,
  },
  entry: {
    sources: ['protocol/src/log/entry.ts', 'protocol/src/log/tiles.ts', 'protocol/src/encoding/canonical.ts'],
    load: async () => (await import('./targets/tiles.ts')).entryTarget,
  },
  picture: {
    sources: ['biometrics/src/vision/jpeg-header.ts'],
    load: async () => (await import('./targets/captures.ts')).pictureTarget,
  },
  capture: {
    sources: ['biometrics/src/pool/decoded-step.ts', 'biometrics/src/audio/read-sound.ts'],
    load: async () => (await import('./targets/captures.ts')).captureTarget,
  },
}
