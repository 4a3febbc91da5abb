import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { VERSION } from '../version.ts'

/** Metrics in Prometheus format. No label ever holds an id, a name or a person. */
export interface Metrics {
  onResponse(operation: string, status: number, duration_ms: number): void
  onBatch(size: number, duration_ms: number): void
  onBatchFailure(): void
  onSecurityEvent(code: string): void
  /** Counts a call that was refused because it would have waited too long. */
  onShed(rank: string): void
  onEngineEvent(event: EngineEvent): void
  /** Returns the text of GET /metrics. */
  text(): Promise<string>
  readonly content_type: string
}

/** The node's state, measured when metrics are read. A member is undefined if it is currently unknown. */
export interface NodeFacts {
  readonly is_ready: boolean
  readonly log_entries: number | undefined
  readonly signed_entries: number
  readonly signed_at_ms: number
  readonly disk_free_bytes: number | undefined
  readonly disk_total_bytes: number | undefined
  readonly witnesses: number
  readonly witnesses_failing: number
  readonly last_backup_ms: number | undefined
  readonly log_verified_ms: number | undefined
  readonly database_waiting: number | undefined
  readonly replica_entries: number | undefined
  readonly holds_lease: boolean | undefined
  readonly wal_bytes: number | undefined
  readonly open_approvals: number | undefined
  readonly overdue_records: number | undefined
  readonly clock_ahead_ms: number | undefined
}

export function openMetrics(queued: () => number, measure: () => Promise<NodeFacts>): Metrics {
  const registry = new Registry()
  const processRegistry = metricsOfProcess()
  const registers = [registry]
  const seriesByName = new Map<string, Observations>()
  const requests = new Histogram({
    name: 'deputy_http_request_duration_seconds',
    help: 'Response time by operation and status.',
    labelNames: ['operation', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5],
    registers,
    collect() {
      for (const series of seriesByName.values()) series.flush()
    },
  })
  const batchSize = new Histogram({
    name: 'deputy_batch_commands',
    help: 'Commands per durable commit.',
    buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024],
    registers,
  })
  const batchDuration = new Histogram({
    name: 'deputy_batch_duration_seconds',
    help: 'Time to judge a batch and make it durable.',
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 2],
    registers,
  })
  const securityEvents = new Counter({
    name: 'deputy_security_events_total',
    help: 'Calls denied because the caller lacks permission, by error code.',
    labelNames: ['code'],
    registers,
  })
  const shed = new Counter({
    name: 'deputy_shed_calls_total',
    help: 'Calls refused because they would have waited for too long, by rank.',
    labelNames: ['rank'],
    registers,
  })
  const failures = new Counter({
    name: 'deputy_batch_failures_total',
    help: 'Batches that could not be made durable.',
    registers,
  })
  new Gauge({
    name: 'deputy_build_info',
    help: 'The version of this node, as a label. Always 1.',
    labelNames: ['version'],
    registers,
  }).set({ version: VERSION }, 1)
  const engine = engineMetrics(registers)
  const showNode = nodeMetrics(registers)
  new Gauge({
    name: 'deputy_queued_commands',
    help: 'Commands waiting for a batch.',
    registers,
    collect() {
      this.set(queued())
    },
  })

  return {
    onResponse(operation, status, duration_ms) {
      // There are few labels, and looking up a series by labels for each request costs more than observing it.
      const name = `${operation} ${status}`
      let series = seriesByName.get(name)
      if (series === undefined) {
        series = new Observations(requests.labels(operation, String(status)))
        seriesByName.set(name, series)
      }
      series.add(duration_ms / 1000)
    },
    onBatch(size, duration_ms) {
      batchSize.observe(size)
      batchDuration.observe(duration_ms / 1000)
    },
    onBatchFailure: () => failures.inc(),
    onEngineEvent: engine.onEvent,
    onSecurityEvent: (code) => securityEvents.inc({ code }),
    onShed: (rank) => shed.inc({ rank }),
    async text() {
      showNode(await measure())
      return `${await processRegistry.metrics()}\n${await registry.metrics()}`
    },
    content_type: registry.contentType,
  }
}

/** Observations of one series. The library gets many at a time, because each of its calls costs the request that makes it. */
class Observations {
  readonly #series: { observe(value: number): void }
  readonly #values = new Float64Array(256)
  #count = 0

  constructor(series: { observe(value: number): void }) {
    this.#series = series
  }

  add(value: number): void {
    this.#values[this.#count] = value
    this.#count += 1
    if (this.#count === this.#values.length) this.flush()
  }

  flush(): void {
    for (const value of this.#values.subarray(0, this.#count)) this.#series.observe(value)
    this.#count = 0
  }
}

let ofProcess: Registry | undefined

/**
 * Returns memory, CPU and garbage collection metrics of the process. They are created once and shared by every service
 * in it, because their observers and timers never stop and would keep each service in memory.
 */
function metricsOfProcess(): Registry {
  if (ofProcess === undefined) {
    ofProcess = new Registry()
    collectDefaultMetrics({ register: ofProcess, prefix: 'deputy_' })
  }
  return ofProcess
}

type NodeGauge = readonly [name: string, help: string, value: (facts: NodeFacts) => number | undefined]

const NODE_GAUGES: readonly NodeGauge[] = [
  [
    'deputy_ready',
    '1 while the node can commit changes, as /readyz says.',
    ({ is_ready }) => (is_ready ? 1 : 0),
  ],
  ['deputy_log_entries', 'Entries of the log.', ({ log_entries }) => log_entries],
  [
    'deputy_checkpoint_entries',
    'Entries that the published checkpoint covers. 0: none was published.',
    ({ signed_entries }) => signed_entries,
  ],
  [
    'deputy_checkpoint_signed_timestamp_seconds',
    'When the published checkpoint was signed. 0: none was published.',
    ({ signed_at_ms }) => seconds(signed_at_ms),
  ],
  [
    'deputy_disk_free_bytes',
    'Free space on the disk of the data directory.',
    ({ disk_free_bytes }) => disk_free_bytes,
  ],
  [
    'deputy_disk_total_bytes',
    'Size of the disk of the data directory.',
    ({ disk_total_bytes }) => disk_total_bytes,
  ],
  ['deputy_witnesses', 'Witnesses that are configured.', ({ witnesses }) => witnesses],
  [
    'deputy_witnesses_failing',
    'Witnesses that did not cosign when last asked.',
    ({ witnesses_failing }) => witnesses_failing,
  ],
  [
    'deputy_last_backup_timestamp_seconds',
    'When the last backup of the data directory was taken.',
    ({ last_backup_ms }) => seconds(last_backup_ms),
  ],
  [
    'deputy_log_verified_timestamp_seconds',
    'When the whole log was last read back and compared with its hashes.',
    ({ log_verified_ms }) => seconds(log_verified_ms),
  ],
  [
    'deputy_database_waiting_reads',
    'Reads that wait for a connection to PostgreSQL.',
    ({ database_waiting }) => database_waiting,
  ],
  [
    'deputy_replica_entries',
    'Entries of the log that the standby has. Its lag is the difference to deputy_log_entries.',
    ({ replica_entries }) => replica_entries,
  ],
  [
    'deputy_clerk_lease',
    'Whether this node writes for all nodes of the database.',
    ({ holds_lease }) => (holds_lease === undefined ? undefined : Number(holds_lease)),
  ],
  ['deputy_wal_bytes', 'Size of the write-ahead log of the data directory.', ({ wal_bytes }) => wal_bytes],
  [
    'deputy_open_approvals',
    'Approval requests that wait for a person, up to 10,000.',
    ({ open_approvals }) => open_approvals,
  ],
  [
    'deputy_overdue_records',
    'Pending records that are past their deadline but have not expired yet, up to 10,000.',
    ({ overdue_records }) => overdue_records,
  ],
  [
    'deputy_clock_ahead_seconds',
    'How far the clock of this node is ahead of its steady clock or of the database. Negative: behind.',
    ({ clock_ahead_ms }) => seconds(clock_ahead_ms),
  ],
]

/** Returns a function that sets the gauges. An unknown value becomes NaN, which no alert mistakes for a number. */
function nodeMetrics(registers: Registry[]): (facts: NodeFacts) => void {
  const gauges = NODE_GAUGES.map(([name, help, value]) => ({
    gauge: new Gauge({ name, help, registers }),
    value,
  }))
  return (facts) => {
    for (const { gauge, value } of gauges) gauge.set(value(facts) ?? Number.NaN)
  }
}

function seconds(ms: number | undefined): number | undefined {
  return ms === undefined ? undefined : ms / 1000
}

/** What the verification engine reports about itself, never about a person or a result. */
type EngineEvent =
  | { readonly kind: 'queue'; readonly waiting: number; readonly running: number }
  | { readonly kind: 'step'; readonly step: string; readonly outcome: string; readonly duration_ms: number }
  | { readonly kind: 'process'; readonly change: string }

function engineMetrics(registers: Registry[]) {
  const waiting = new Gauge({
    name: 'deputy_verification_steps_waiting',
    help: 'Recordings that wait for a judging process.',
    registers,
  })
  const running = new Gauge({
    name: 'deputy_verification_steps_running',
    help: 'Recordings that are being judged.',
    registers,
  })
  const steps = new Histogram({
    name: 'deputy_verification_step_duration_seconds',
    help: 'Time to judge the recording of one step, with the time that it waited, by kind and outcome.',
    labelNames: ['step', 'outcome'],
    buckets: [0.1, 0.25, 0.5, 1, 2, 4, 8, 16],
    registers,
  })
  const processes = new Counter({
    name: 'deputy_verification_process_changes_total',
    help: 'Judging processes that were started or ended, by reason.',
    labelNames: ['change'],
    registers,
  })
  return {
    onEvent(event: EngineEvent): void {
      switch (event.kind) {
        case 'queue':
          waiting.set(event.waiting)
          running.set(event.running)
          return
        case 'step':
          steps.observe({ step: event.step, outcome: event.outcome }, event.duration_ms / 1000)
          return
        case 'process':
          processes.inc({ change: event.change })
      }
    },
  }
}
