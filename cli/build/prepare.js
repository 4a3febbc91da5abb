// npm runs this after `npm ci`. If the program can't be compiled (no development packages), it runs from its sources.
try {
  const { compileClone } = await import('./compile-clone.ts')
  await compileClone({ anew: true })
} catch ({ message }) {
  process.stdout.write(`Deputy will start from its sources, which takes longer. Not compiled: ${message}\n`)
}
