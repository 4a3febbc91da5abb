/**
 * The processor time that `act` takes in this process, in milliseconds: the least of a few attempts. Neither load nor
 * pauses of the machine count, so a test that something is cheap fails only if it isn't.
 */
export async function cpuMs(act: () => unknown, attempts = 3): Promise<number> {
  const times: number[] = []
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const before = process.cpuUsage()
    await act()
    const { user, system } = process.cpuUsage(before)
    times.push((user + system) / 1000)
  }
  return Math.min(...times)
}
