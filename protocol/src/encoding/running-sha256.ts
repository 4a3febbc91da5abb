/** SHA-256 of bytes that arrive one chunk after another. */
export interface RunningSha256 {
  update(chunk: Uint8Array): void
  digest(): Uint8Array
}
