/** The frame of every picture: its title, its table twin, its address, and how to save it. */
import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { copy } from '../parts/basics.tsx'
import { setQuery, shownAddress } from '../router.ts'
import { savePng, saveSvg } from './save.ts'
import { whileDrawnWhole } from './visible-part.ts'

export interface TwinTable {
  readonly columns: readonly string[]
  readonly rows: readonly (readonly ComponentChildren[])[]
}

export function PictureFrame({
  name,
  title,
  summary,
  twin,
  legend,
  aside,
  children,
}: {
  /** The name in the address. */
  readonly name: string
  readonly title: string
  /** What the picture says, in a sentence. */
  readonly summary: string
  readonly twin: TwinTable
  readonly legend?: ComponentChildren
  readonly aside?: ComponentChildren
  readonly children: ComponentChildren
}) {
  const frame = useRef<HTMLDivElement>(null)
  const menu = useRef<HTMLDetailsElement>(null)
  const section = useRef<HTMLElement>(null)
  // The browser looked for the fragment in the address before the picture existed.
  useEffect(() => {
    if (location.hash === `#${name}`) section.current?.scrollIntoView()
  }, [])
  const isTable = shownAddress.value.query.get('table') === name
  const svg = () => frame.current?.querySelector('svg') ?? undefined
  const save = (as: typeof saveSvg | typeof savePng) => void whileDrawnWhole(() => as(svg(), name))
  const then = (run: () => void) => () => {
    if (menu.current !== null) menu.current.open = false
    run()
  }
  return (
    <section class="card picture" id={name} aria-label={title} ref={section}>
      <header>
        <h2>{title}</h2>
        {legend}
        <div class="picture-tools">
          {aside}
          <details class="menu" ref={menu}>
            <summary aria-label={`Options of ${title}`}>⋯</summary>
            <div>
              <button type="button" onClick={then(() => setQuery({ table: isTable ? undefined : name }))}>
                {isTable ? 'Show as picture' : 'Show as table'}
              </button>
              <button type="button" onClick={then(() => void copy(permalink(name), 'Link copied'))}>
                Copy link
              </button>
              <button type="button" disabled={isTable} onClick={then(() => save(saveSvg))}>
                Save as SVG
              </button>
              <button type="button" disabled={isTable} onClick={then(() => save(savePng))}>
                Save as PNG
              </button>
            </div>
          </details>
        </div>
      </header>
      <p class="sr">{summary}</p>
      {isTable ? <Twin title={title} twin={twin} /> : <div ref={frame}>{children}</div>}
    </section>
  )
}

function permalink(name: string): string {
  return `${location.href.split('#')[0]}#${name}`
}

function Twin({ title, twin: { columns, rows } }: { readonly title: string; readonly twin: TwinTable }) {
  return (
    // A table that scrolls must be reachable with the keyboard.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: see above
    <section class="scroll twin" tabIndex={0} aria-label={`${title}, as a table`}>
      <table>
        <caption class="sr">{title}</caption>
        <thead>
          <tr>
            {columns.map((column, index) => (
              <th key={column} scope="col" class={index === 0 ? '' : 'number'}>
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            // Rows of a twin have no key and never move.
            <tr key={index}>
              {row.map((cell, column) => (
                <td key={columns[column]} class={column === 0 ? '' : 'number'}>
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

/** The width of an element, so that a picture fills it and its text keeps its size. */
export function useWidth() {
  const ref = useRef<HTMLDivElement>(null)
  const [width, setWidth] = useState(0)
  // Before anything is painted, so that the picture appears at its size.
  useLayoutEffect(() => {
    if (ref.current === null) return
    setWidth(ref.current.clientWidth)
    const observer = new ResizeObserver(([entry]) => setWidth(Math.floor(entry?.contentRect.width ?? 0)))
    observer.observe(ref.current)
    return () => observer.disconnect()
  }, [])
  return { ref, width }
}

export function Legend({ of }: { readonly of: readonly (readonly [string, string])[] }) {
  return (
    <span class="legend" aria-hidden="true">
      {of.map(([tone, word]) => (
        <span key={word}>
          <svg viewBox="0 0 8 8" class={`fill-${tone}`} aria-hidden="true">
            <rect width="8" height="8" rx="2" />
          </svg>
          {word}
        </span>
      ))}
    </span>
  )
}
