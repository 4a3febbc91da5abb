import { deputyProgram } from './program.ts'

await deputyProgram().parseAsync()
