import serializerFactory from '@fastify/fast-json-stringify-compiler'

type Serializer = (answer: unknown) => string

const compile = serializerFactory()()
/** One serializer for each schema, however many servers this process builds. */
const compiled = new WeakMap<object, Serializer>()

/**
 * Returns a serializer that is compiled at its first answer. Compiling all of them would take up a third of the
 * service's startup time.
 */
export function lazySerializer(schema: object): Serializer {
  return (answer) => {
    const known = compiled.get(schema)
    if (known !== undefined) return known(answer)
    const made = compile({ schema, method: '', url: '', httpStatus: '' }) // only the schema matters
    compiled.set(schema, made)
    return made(answer)
  }
}
