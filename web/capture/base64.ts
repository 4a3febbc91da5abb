export async function base64(bytes: Blob | Uint8Array<ArrayBuffer>): Promise<string> {
  const reader = new FileReader()
  const read = new Promise<string>((resolve, reject) => {
    reader.onload = () => resolve(String(reader.result))
    reader.onerror = () => reject(new Error('The recording could not be read.'))
  })
  reader.readAsDataURL(bytes instanceof Blob ? bytes : new Blob([bytes]))
  const url = await read
  return url.slice(url.indexOf(',') + 1)
}
