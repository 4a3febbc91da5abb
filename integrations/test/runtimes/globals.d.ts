/** Declarations of runtimes without types here. Deno checks its own. */
type Handler = (request: Request) => Response | Promise<Response>

declare const Deno: {
  readonly args: readonly string[]
  serve(
    options: {
      readonly hostname: string
      readonly port: number
      onListen(address: { readonly port: number }): void
    },
    handler: Handler,
  ): void
}

declare const Bun: {
  readonly argv: readonly string[]
  serve(options: { readonly hostname: string; readonly port: number; readonly fetch: Handler }): {
    readonly port: number
  }
}

/** Written into the worker when it is bundled. */
declare const GUARDS: Readonly<Record<string, import('@deputize/sdk/hono').GuardOptions>>
