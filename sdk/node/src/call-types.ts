/** What a single call may be told besides its input. */
export interface CallOptions {
  /** Ends the call, also while it waits to try again. */
  readonly signal?: AbortSignal | undefined
  /** For each attempt; that of the client when absent. A download must have begun by then, and may take longer. */
  readonly timeout_ms?: number | undefined
  /** How often to try again; as the client does when absent. */
  readonly retries?: number | undefined
  /** One of your own, to repeat a change safely also after this process has ended. The client makes one otherwise. */
  readonly idempotency_key?: string | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
}

/** A call that takes an input. */
export type Call<Input, Answer> = (input: Input, options?: CallOptions) => Promise<Answer>

/** A call that needs no input. */
export type OptionalCall<Input, Answer> = (input?: Input, options?: CallOptions) => Promise<Answer>

/** Answers one page; `all` goes through the entries of this page and all that follow. */
export interface PagedCall<Input, Answer, Entry> extends Call<Input, Answer> {
  all(input: Input, options?: CallOptions): AsyncIterable<Entry>
}

/** A call that answers page by page, and needs no input. */
export interface OptionalPagedCall<Input, Answer, Entry> extends OptionalCall<Input, Answer> {
  all(input?: Input, options?: CallOptions): AsyncIterable<Entry>
}

/** An answer of any length, read while it arrives. A line that breaks half way throws: a part is never taken for the whole. */
export interface Download {
  readonly media_type: string
  readonly file_name: string | undefined
  /** The bytes, as they come. */
  readonly body: ReadableStream<Uint8Array>
  /** All of it as text. */
  text(): Promise<string>
  /** Line by line, without the line ends: for ndjson and csv. */
  lines(): AsyncIterable<string>
}
