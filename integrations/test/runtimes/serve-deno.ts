/** The API on Deno. */
import { guarded } from './guarded.ts'

const [options = ''] = Deno.args
Deno.serve(
  {
    hostname: '127.0.0.1',
    port: 0,
    onListen: ({ port }) => console.log(`address http://127.0.0.1:${port}`),
  },
  guarded(JSON.parse(options)).fetch,
)
