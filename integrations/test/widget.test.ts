import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { compileScript, parse } from 'vue/compiler-sfc'

const FOLDER = fileURLToPath(new URL('../widget/', import.meta.url))
const COMPILER = fileURLToPath(new URL('../../node_modules/.bin/tsc', import.meta.url))
const REACT = readFileSync(join(FOLDER, 'verify-person.tsx'), 'utf8')
const VUE = readFileSync(join(FOLDER, 'verify-person.vue'), 'utf8')
const isCustomElement = (tag: string) => tag === 'deputy-verify'

/** The component, as parsed by Vue's compiler. */
function vueComponent() {
  const { descriptor, errors } = parse(VUE, { templateParseOptions: { isCustomElement } })
  assert.deepEqual(errors, [])
  return descriptor
}

/** The script of the component, with an import for the two names that Vue provides without one. */
function vueScript(): string {
  const script = vueComponent().scriptSetup?.content ?? ''
  return `import { defineEmits, defineProps } from 'vue'\n${script}`
}

/** The errors that the type checker reports for these sources. */
function faultsIn(react: string, vue: string): string {
  const folder = mkdtempSync(join(FOLDER, 'checked-'))
  try {
    writeFileSync(join(folder, 'react.tsx'), react)
    writeFileSync(join(folder, 'vue.ts'), vue)
    writeFileSync(join(folder, 'tsconfig.json'), '{ "extends": "../tsconfig.json", "include": ["."] }')
    return spawnSync(COMPILER, ['--noEmit', '-p', folder], { encoding: 'utf8' }).stdout
  } finally {
    rmSync(folder, { recursive: true })
  }
}

describe('the wrappers of the widget', () => {
  test('compile against the types of React, of Vue and of the element', () => {
    assert.equal(faultsIn(REACT, vueScript()), '')
  })

  test('would not compile with an attribute or an event detail that the element does not have', () => {
    const faults = faultsIn(
      REACT.replace('ref={element}', 'ref={element} sesion=""'),
      vueScript().replaceAll('{ detail }', '{ details: detail }'),
    )
    assert.match(faults, /react\.tsx.*sesion/)
    assert.match(faults, /vue\.ts.*details/)
  })

  test('have a Vue template that uses no unknown names', () => {
    const templateOptions = { compilerOptions: { isCustomElement } }
    const { content } = compileScript(vueComponent(), { id: 'widget', inlineTemplate: true, templateOptions })
    assert.match(content, /"deputy-verify"/)
    assert.doesNotMatch(content, /_ctx\.|resolveComponent/)
  })
})
