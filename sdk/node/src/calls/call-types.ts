/** Options of a single call. */
export interface CallOptions {
  /** Aborts the call, including its waits between attempts. */
  readonly signal?: AbortSignal | undefined
  /** The time limit of each attempt. Default: the client's. A download must start within it and may take longer. */
  readonly timeout_ms?: number | undefined
  /** How many times a failed call is retried. Default: the client's. */
  readonly retries?: number | undefined
  /** Your own key, for repeating a change safely even after this process has ended. Default: a new random key. */
  readonly idempotency_key?: string | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
}

/** A call that takes an input. */
export type Call<Input, Answer> = (input: Input, options?: CallOptions) => Promise<Answer>

/** A call that needs no input. */
export type OptionalCall<Input, Answer> = (input?: Input, options?: CallOptions) => Promise<Answer>

/** A call that can be tried without effect, which then returns a different type. */
export interface DryRunCall<Input extends { dry_run?: boolean | undefined }, Answer, DryRunAnswer> {
  (input: Input & { dry_run?: false | undefined }, options?: CallOptions): Promise<Answer>
  (input: Input & { dry_run: true }, options?: CallOptions): Promise<DryRunAnswer>
  (input: Input, options?: CallOptions): Promise<Answer | DryRunAnswer>
}

/** Returns one page. `all` iterates over the entries of this page and all later ones. */
export interface PagedCall<Input, Answer, Entry> extends Call<Input, Answer> {
  all(input: Input, options?: CallOptions): AsyncIterable<Entry>
}

/** A paged call that needs no input. */
export interface OptionalPagedCall<Input, Answer, Entry> extends OptionalCall<Input, Answer> {
  all(input?: Input, options?: CallOptions): AsyncIterable<Entry>
}

/** A response of any length, read as it arrives. Throws if the connection breaks before the end. */
export interface Download {
  readonly media_type: string
  readonly file_name: string | undefined
  /** The bytes, as they arrive. */
  readonly body: ReadableStream<Uint8Array>
  /** The whole response as text. */
  text(): Promise<string>
  /** The lines, without line endings, for NDJSON and CSV. */
  lines(): AsyncIterable<string>
}
