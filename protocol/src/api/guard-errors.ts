/** Errors that route guards return in addition to those of the service. */
export const GUARD_ERRORS = {
  authority_unavailable: {
    status: 503,
    title: 'The authority service is unavailable',
    help: 'The API could not ask the authority service, so nothing was done. Try again after the number of seconds in the Retry-After header. If you run the API, check that it reaches the service and that its key is valid.',
  },
} as const satisfies Record<string, { status: number; title: string; help: string }>
