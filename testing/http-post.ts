// biome-ignore lint/suspicious/noExplicitAny: the shape of answers is what tests assert
type Posted = any

/** Calls a listening service, and fails unless the call succeeds. */
export function httpPost(url: string): (path: string, body: object) => Promise<Posted> {
  return async (path, body) => {
    const response = await fetch(`${url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    const answer = await response.json()
    if (!response.ok) throw new Error(JSON.stringify(answer))
    return answer
  }
}
