import type { Manifest } from './manifest.ts'

/** Returns the makers and licences of a pack's parts as text. Every pack has it, because packs are copied. */
export function packNotice(manifest: Manifest): string {
  const sources = [...manifest.required, ...manifest.optional]
  const rows = sources.map(
    ({ name, version, licence, origin }) => `| ${name} ${version} | ${licence} | ${origin} |`,
  )
  return [
    '# Engine pack',
    '',
    'Third-party software and nets, unpacked or converted to ONNX from these packages:',
    '',
    '| package | licence | origin |',
    '|---|---|---|',
    ...rows,
    '',
  ].join('\n')
}
