/** Saves a picture as it looks: the colours of the page are written into it. */
import { tell } from '../parts/toast.tsx'
import { pngScale } from './scales.ts'

const DRAWN = [
  'fill',
  'stroke',
  'stroke-width',
  'stroke-dasharray',
  'paint-order',
  'opacity',
  'font-size',
  'font-weight',
  'text-anchor',
] as const

export function saveSvg(svg: SVGSVGElement | undefined, name: string): void {
  if (svg === undefined) return
  download(new Blob([standalone(svg)], { type: 'image/svg+xml' }), `${name}.svg`)
}

export async function savePng(svg: SVGSVGElement | undefined, name: string): Promise<void> {
  if (svg === undefined) return
  const { width, height } = svg.getBoundingClientRect()
  const address = URL.createObjectURL(new Blob([standalone(svg)], { type: 'image/svg+xml' }))
  const image = new Image(width, height)
  image.src = address
  await image.decode()
  const scale = pngScale(width, height)
  const canvas = new OffscreenCanvas(width * scale, height * scale)
  const context = canvas.getContext('2d')
  if (context === null) return
  context.fillStyle = getComputedStyle(document.documentElement).getPropertyValue('--card')
  context.fillRect(0, 0, canvas.width, canvas.height)
  context.drawImage(image, 0, 0, canvas.width, canvas.height)
  URL.revokeObjectURL(address)
  download(await canvas.convertToBlob({ type: 'image/png' }), `${name}.png`)
  if (scale < 1)
    tell(`A PNG cannot be this large: saved at ${Math.round(scale * 100)} %. SVG keeps the size.`)
}

function standalone(svg: SVGSVGElement): string {
  const copied = svg.cloneNode(true)
  if (!(copied instanceof SVGSVGElement)) return ''
  const { width, height } = svg.getBoundingClientRect()
  copied.setAttribute('xmlns', 'http://www.w3.org/2000/svg')
  copied.setAttribute('width', String(width))
  copied.setAttribute('height', String(height))
  copied.setAttribute('font-family', 'system-ui, sans-serif')
  const copies = copied.querySelectorAll('*')
  svg.querySelectorAll('*').forEach((element, index) => {
    const style = getComputedStyle(element)
    for (const property of DRAWN) copies[index]?.setAttribute(property, style.getPropertyValue(property))
    copies[index]?.removeAttribute('class')
  })
  return new XMLSerializer().serializeToString(copied)
}

export function download(content: Blob, file_name: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(content)
  link.download = file_name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000)
}
