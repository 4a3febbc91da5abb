import { encode } from 'uqr'

const SVG = 'http://www.w3.org/2000/svg'

/** The QR code of a text, dark on light in both color schemes, as cameras expect. */
export function qrCode(text: string, label: string): SVGSVGElement {
  const { size, data } = encode(text, { ecc: 'M', border: 3 })
  const dark = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])))
  const path = document.createElementNS(SVG, 'path')
  path.setAttribute('d', dark.join(''))
  const picture = document.createElementNS(SVG, 'svg')
  picture.setAttribute('viewBox', `0 0 ${size} ${size}`)
  picture.setAttribute('role', 'img')
  picture.setAttribute('aria-label', label)
  picture.setAttribute('shape-rendering', 'crispEdges')
  picture.append(path)
  return picture
}
