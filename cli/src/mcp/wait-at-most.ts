/** Waits for `work`, but at most `ms`. */
export async function waitAtMost(ms: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise((resolve) => {
    timer = setTimeout(resolve, ms)
  })
  await Promise.race([work, late])
  clearTimeout(timer)
}
