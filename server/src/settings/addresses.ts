import { isIP } from 'node:net'
import { isLoopback } from '../loopback.ts'
import type { SettingsReader } from './settings-reader.ts'

/** Refuses names except localhost: a name would be resolved at every start, possibly to another machine. */
export function hostSetting(settings: SettingsReader): string {
  const host = settings.text('HOST') ?? '127.0.0.1'
  if (host !== 'localhost' && isIP(host) === 0)
    settings.refuse(
      `HOST=${host} must be an IP address of this machine, 0.0.0.0 for all of them, or localhost.`,
    )
  return host
}

/** Reads DEPUTY_ACCESS. Open access trusts every caller, so only this machine may reach it. */
export function accessMode(settings: SettingsReader, host: string): 'open' | 'keyed' {
  const wanted = settings.oneOf('DEPUTY_ACCESS', ['auto', 'open', 'keyed'], 'auto')
  if (wanted === 'auto') return isLocalName(host) ? 'open' : 'keyed'
  if (wanted === 'open' && !isLocalName(host))
    settings.refuse(
      `HOST=${host} lets other machines call, but open access trusts every caller. Set DEPUTY_ACCESS=keyed, or leave HOST unset to accept calls from this machine only.`,
    )
  return wanted
}

/** Where the service listens, and for whom. */
interface Listening {
  readonly host: string
  readonly port: number
  readonly access: 'open' | 'keyed'
}

/** Credentials are sent to this address, so on a network it must be https. */
export function publicUrl(settings: SettingsReader, { host, port, access }: Listening): string {
  const text = settings.text('DEPUTY_PUBLIC_URL')
  if (text === undefined) {
    if (access === 'keyed' && !isLocalName(host))
      settings.refuse(
        `HOST=${host} lets other machines call. Set DEPUTY_PUBLIC_URL to the address that they use, such as https://deputy.example.com, or leave HOST unset to accept calls from this machine only.`,
      )
    else if (access === 'keyed' && port === 0)
      settings.refuse(
        'PORT=0 lets the system choose a port, but in keyed mode credentials are bound to the address. Set a fixed PORT or DEPUTY_PUBLIC_URL.',
      )
    return `http://${host.includes(':') ? `[${host}]` : host}:${port}`
  }
  const url = URL.parse(text)
  if (!isSafeUrl(url) || `${url.origin}/` !== url.href) {
    settings.refuse(
      `DEPUTY_PUBLIC_URL=${text} must be an https address without a path, such as https://deputy.example.com. Plain http is accepted for localhost only.`,
    )
    return text
  }
  return url.origin
}

/** Whether credentials and people may be sent to an address: https, or plain http on this machine. */
export function isSafeUrl(url: URL | null): url is URL {
  if (url === null) return false
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLocalName(url.hostname.toLowerCase()))
}

export function isLocalName(name: string): boolean {
  return name === 'localhost' || name === '[::1]' || isLoopback(name)
}

export function trustedProxies(settings: SettingsReader): string[] {
  const proxies = settings.list('DEPUTY_TRUSTED_PROXIES')
  for (const one of proxies) {
    const [address = '', bits] = one.split('/')
    const most = isIP(address) === 6 ? 128 : 32
    if (isIP(address) === 0 || (bits !== undefined && !(/^\d{1,3}$/.test(bits) && Number(bits) <= most)))
      settings.refuse(`DEPUTY_TRUSTED_PROXIES: "${one}" is not an IP address or a range such as 10.0.0.0/8.`)
  }
  return proxies
}

/** Reads the origins of sites whose pages may lead a person through a verification, so each is named in full. */
export function widgetOrigins(settings: SettingsReader): string[] {
  const origins = settings.list('DEPUTY_WIDGET_ORIGINS')
  for (const one of origins) {
    const url = URL.parse(one)
    if (!isSafeUrl(url) || url.origin !== one)
      settings.refuse(
        `DEPUTY_WIDGET_ORIGINS: "${one}" must be an https origin without a path, such as https://app.example.com. Plain http is accepted for localhost only.`,
      )
  }
  return origins
}
