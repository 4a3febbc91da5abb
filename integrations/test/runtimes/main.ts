/** The consumer in Node, Deno and Bun: settings come as an argument, and what comes of it is printed. */
import process from 'node:process'
import { consume } from './consumer.ts'

console.log(JSON.stringify(await consume(JSON.parse(process.argv[2] ?? ''))))
