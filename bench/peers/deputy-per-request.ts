import { pino } from 'pino'
import { readConfig } from '../../server/src/config.ts'
import { startDeputy } from '../../server/src/deputy.ts'

/**
 * Deputy without batches: the same rules, log, record and counters, and one durable transaction for each request. All
 * changes have one order, so each begins when the previous one is committed.
 */
const ONE_AT_A_TIME = { batch_limit: 1, batches_in_flight: 1 }

const config = readConfig(process.env)
const { address } = await startDeputy(
  config,
  {
    logger: pino({ level: config.log_level, base: null }),
    onDeath(cause) {
      throw cause
    },
  },
  ONE_AT_A_TIME,
)
process.stdout.write(`address ${address}\n`)
