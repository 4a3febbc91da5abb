/** The API on Bun. */
import { guarded } from './guarded.ts'

const [, , options = ''] = Bun.argv
const { port } = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  fetch: guarded(JSON.parse(options)).fetch,
})
console.log(`address http://127.0.0.1:${port}`)
