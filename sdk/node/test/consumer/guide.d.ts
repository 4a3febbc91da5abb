/** Declarations that the guide's code blocks assume. */
declare const client: import('@deputize/sdk').Deputy
declare const developer: import('@deputize/sdk').Deputy
declare const agent: import('@deputize/sdk').Authority
declare const request: import('@deputize/sdk').IssueL1Input
declare const app: { post: Route; get: Route }
declare const work: () => Promise<string>
declare const url: string
declare const compact_jwt: string
declare const id: string
declare const pinned_vkey: string

type Route = (
  path: string,
  guard: import('@deputize/sdk/express').ExpressGuard<GuardedRequest>,
  handler: Handler,
) => void
type GuardedRequest = import('@deputize/sdk/express').ExpressRequest
type Handler = (req: GuardedRequest, res: { json(value: unknown): void }) => void
