import { openIssuer } from '@deputize/protocol'
import type { Config } from '../config.ts'

/** Until the server listens, requests can only be injected, and those name the default port of HTTP. */
const INJECTED_PORT = 80

/** Where the service is reached. With PORT=0 the system chooses the port, which is known once the server listens. */
export class Whereabouts {
  port: number
  private readonly config: Config
  private readonly instance: string
  private readonly keyed_issuer: string
  /** The address at a port, cached because every call asks for it several times. */
  private address: { readonly port: number; readonly url: string } | undefined

  constructor(config: Config, instance: string) {
    this.config = config
    this.instance = instance
    this.port = config.port === 0 ? INJECTED_PORT : config.port
    this.keyed_issuer = this.public_url()
  }

  /** Called with the address that the server listens at. */
  listensAt(address: string): void {
    this.port = Number(new URL(address).port || INJECTED_PORT)
  }

  readonly public_url = (): string => {
    const { public_url } = this.config
    if (!public_url.endsWith(':0')) return public_url
    const { port } = this
    if (this.address?.port !== port)
      this.address = { port, url: new URL(public_url.replace(/:0$/, `:${port}`)).origin }
    return this.address.url
  }

  issuer(): string {
    return this.config.access === 'open' ? openIssuer(this.public_url(), this.instance) : this.keyed_issuer
  }
}
