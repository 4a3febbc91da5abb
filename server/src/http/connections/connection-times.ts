/** Timeouts of connections, for the HTTP server and for every front. */

/** A new connection must send its first bytes, and a request its whole head, within this time. */
export const HEAD_MS = 10_000

/** A connection without traffic is closed: its client doesn't read. Longer than any call waits for a decision. */
export const SILENCE_MS = 60_000

/**
 * Longer than load balancers keep an idle connection (most for a minute), so that they close it, not the service: a request
 * that is on its way when the service closes is lost.
 */
export const IDLE_MS = 72_000

/** During shutdown, how long clients may still send requests on connections that they consider open. */
export const LEAVE_MS = 300

/** Turns to wait after that: on a busy machine, connections with requests that aren't read yet look idle. */
export const READ_TURNS = 2

/** Requests that haven't arrived, and connections that haven't ended, are cut off after this time. */
export const CUT_MS = 5_000
