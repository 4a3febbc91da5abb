/**
 * The parts of `node:http` that the service uses. An import would read each of its exports, and one of them loads an
 * HTTP client that nothing here needs: 40 ms of processor time in every start.
 */
const http = process.getBuiltinModule('node:http')

export const HttpAgent: typeof http.Agent = http.Agent
export const httpRequest: typeof http.request = http.request
export const STATUS_CODES: typeof http.STATUS_CODES = http.STATUS_CODES
