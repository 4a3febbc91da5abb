// npm runs this after `npm ci`. A program that cannot be compiled, such as without development packages, runs from its sources.
try {
  const { compileClone } = await import('./compile-clone.ts')
  await compileClone({ anew: true })
} catch ({ message }) {
  process.stdout.write(`Deputy will start from its sources, which takes longer. Not compiled: ${message}\n`)
}
