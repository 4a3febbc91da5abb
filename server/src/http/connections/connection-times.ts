/** Timeouts of connections, for the HTTP server and for every front. */

/** A new connection must send its first bytes, and a request its whole head, in this time. */
export const HEAD_MS = 10_000

/** A connection on which nothing moves is closed: its client does not read. Longer than any call waits for a decision. */
export const SILENCE_MS = 60_000

/**
 * Longer than load balancers keep an idle connection (most for a minute), so that they close it, not the service: a request
 * that is on its way when the service closes is lost.
 */
export const IDLE_MS = 72_000

/** At a stop: how long clients may still send requests on connections that they consider open. */
export const LEAVE_MS = 300

/** After that, on a busy machine, requests have arrived that are not read yet: their connections look idle for so many turns. */
export const READ_TURNS = 2

/** Requests that have not arrived, and connections that have not ended, by then are cut off. */
export const CUT_MS = 5_000
