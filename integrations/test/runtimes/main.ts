/** Runs the consumer in Node, Deno and Bun: takes settings as an argument, and prints the result. */
import process from 'node:process'
import { consume } from './consumer.ts'

console.log(JSON.stringify(await consume(JSON.parse(process.argv[2] ?? ''))))
