import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { aTestApp } from '@deputize/testing/a-test-app.ts'
import { searchGuides } from '../../src/http/guides/guide-search.ts'
import { headingAnchor, renderGuide } from '../../src/http/guides/markdown.ts'

const unescaped = (text: string) =>
  text.replaceAll(/&#(\d+);/g, (_, code) => String.fromCodePoint(Number(code)))

describe('the guides as pages', async () => {
  const { app } = await aTestApp({ after })
  const contents = await app.inject({ url: '/guides' })
  const addresses = [...contents.body.matchAll(/href="(\/guides\/[\w-]+)"/g)].map(([, href = '']) => href)
  const pages = new Map<string, string>()
  for (const href of addresses) pages.set(href, (await app.inject({ url: href })).body)

  test('are all listed and served without scripts', async () => {
    assert.ok(addresses.length > 35, String(addresses.length))
    for (const [href, html] of [['/guides', contents.body] as const, ...pages]) {
      assert.match(html, /<h1>[^<]+<\/h1>/, href)
      assert.doesNotMatch(html, /<script|onerror=|javascript:/i, href)
    }
    assert.match(String(contents.headers['content-security-policy']), /^default-src 'none'; style-src/)
    assert.equal((await app.inject({ url: '/guides/nope' })).statusCode, 404)
    assert.equal((await app.inject({ url: '/guides/..%2f..%2fpackage.json' })).statusCode, 404)
  })

  test('are listed once each, under a subject', () => {
    assert.equal(new Set(addresses).size, addresses.length)
    const subjects = [...contents.body.matchAll(/<section><h2>([^<]+)<\/h2>/g)].map(([, title]) => title)
    assert.equal(subjects[0], 'Start')
    assert.equal(subjects.at(-1), 'Reference')
    assert.ok(!subjects.includes('More'), 'a guide has no subject yet')
  })

  test('link to each other, to headings that exist and to pictures that are served', async () => {
    let links = 0
    const served = new Map<string, boolean>()
    const isServed = async (url: string) => {
      if (!served.has(url)) served.set(url, (await app.inject({ url })).statusCode < 400)
      return served.get(url)
    }
    for (const [from, html] of pages)
      for (const [, found = ''] of html.matchAll(/(?:href|src)="([^"]*)"/g)) {
        const [path = '', anchor] = unescaped(found).split('#')
        const target = path === '' ? from : path
        if (target.startsWith('https://')) continue
        links += 1
        if (pages.has(target)) {
          if (anchor !== undefined)
            assert.ok(pages.get(target)?.includes(`id="${anchor}"`), `${from}: ${found}`)
        } else assert.ok(await isServed(target), `${from}: ${found}`)
      }
    assert.ok(links > 300, String(links))
    const picture = await app.inject({ url: '/guides/dashboard.png' })
    assert.deepEqual([picture.statusCode, picture.headers['content-type']], [200, 'image/png'])
  })

  test('show tables, lists, code and bold text, and no Markdown marks', () => {
    const audit = pages.get('/guides/audit') ?? ''
    assert.match(audit, /<th>file<\/th>/)
    assert.match(audit, /<td><code>decisions\.csv<\/code><\/td>/)
    assert.match(audit, /<li><strong>That an agent told the truth<\/strong>/)
    assert.match(audit, /<pre tabindex="0"><code>/)
    for (const [href, html] of pages) {
      const prose = html.replaceAll(/<style>[\s\S]*?<\/style>|<(pre|code)[ >][\s\S]*?<\/\1>/g, '')
      assert.doesNotMatch(prose, /\*\*|\]\(|^\|/m, href)
    }
  })

  test('can be searched by words and prefixes', async () => {
    const { body } = await app.inject({ url: '/guides?q=audit+pack' })
    const [, first = ''] = /<ul class="found"><li><a href="([^"]+)"/.exec(body) ?? []
    assert.match(first, /^\/guides\/(audit|check-us)/)
    assert.match((await app.inject({ url: '/guides?q=zzzz' })).body, /Nothing matches/)
    for (const query of [
      'q=audit-pack',
      'q=a&q=b',
      'q[]=a',
      'q=%ED%A0%80',
      'q=%FF',
      'q=%2F%5C-%5D%5B%24',
      `q=${'a+'.repeat(2000)}`,
    ]) {
      const { statusCode } = await app.inject({ url: `/guides?${query}` })
      assert.ok(statusCode === 200 || statusCode === 400 || statusCode === 414, `${query}: ${statusCode}`)
    }
    assert.match((await app.inject({ url: '/guides?q=well-known' })).body, /deputy\.json/)
    const hostile = (await app.inject({ url: `/guides?q=${encodeURIComponent('"><img src=x>(*')}` })).body
    assert.doesNotMatch(hostile, /<img src=x/)
  })

  test('are linked from the other pages of the service', async () => {
    for (const url of ['/problems', '/verify', '/problems/not_found'])
      assert.match((await app.inject({ url, headers: { accept: 'text/html' } })).body, /href="\/guides"/, url)
    const missing = await app.inject({ url: '/nowhere', headers: { accept: 'text/html' } })
    assert.match(missing.body, /href="\/guides"/)
  })
})

describe('the Markdown of guides', () => {
  const rendered = (text: string) => renderGuide(text, (href) => (href.startsWith('bad') ? undefined : href))

  test('never passes HTML through', () => {
    const { html, title } = rendered(
      '# A <b>title</b>\n\n<script>x</script> `<i>` [<u>](bad) ![<s>](p.png) **<em>**\n\n| <td> |\n|---|\n| <x> |\n\n```html\n<p>\n```',
    )
    assert.equal(title, 'A <b>title</b>')
    assert.doesNotMatch(html, /<(script|i|u|s|x)>|<td> <\/td>/)
    assert.match(html, /&#60;script&#62;/)
  })

  test('has the same anchors as on GitHub, and keeps bars inside code', () => {
    assert.equal(headingAnchor("What these checks don't show"), 'what-these-checks-dont-show')
    assert.equal(headingAnchor('`GET /v1` and [a link](x.md)'), 'get-v1-and-a-link')
    assert.match(rendered('| a |\n|---|\n| `x|y` |').html, /<td><code>x\|y<\/code><\/td>/)
  })

  test('is split into sections, which the search ranks by title, heading and text', () => {
    const guide = (slug: string, text: string) => ({ slug, ...rendered(text) })
    const guides = [
      guide('text', '# One\n\nabout keys'),
      guide('heading', '# Two\n\n## Keys\n\nnothing'),
      guide('title', '# Keys\n\nnothing'),
    ]
    assert.deepEqual(
      searchGuides(guides, 'key').sections.map(({ slug }) => slug),
      ['title', 'heading', 'text'],
    )
    assert.deepEqual(searchGuides(guides, 'absent').sections, [])
  })

  test('can be searched with a question, and the result shows if no section has every word', () => {
    const guides = [{ slug: 'one', ...rendered('# One\n\n## Revoke a token\n\nIt stops.') }]
    const found = (wanted: string) => {
      const { sections, hasAllWords } = searchGuides(guides, wanted)
      return [sections.map(({ anchor }) => anchor), hasAllWords]
    }
    assert.deepEqual(found('How do I revoke a "token"?'), [['revoke-a-token'], true])
    assert.deepEqual(found('token absent'), [['revoke-a-token'], false])
    assert.deepEqual(found('the'), [[], false])
    assert.deepEqual(found('?!'), [[], true])
  })

  test('is excerpted without the marks of tables and lists, and with sentences before code', () => {
    const text =
      '# One\n\n```sh\nlimit --now\n```\n\n| name | limit |\n|---|---|\n| a | 5 |\n\n- The limit is 5.\n'
    const [section] = searchGuides([{ slug: 'one', ...rendered(text) }], 'limit').sections
    assert.equal(section?.snippet, 'name · limit; a · 5; The limit is 5. limit --now')
  })

  test('keeps the columns of a table whose first heading is empty', () => {
    const { html } = rendered('| | a |\n|---|---|\n| b | c |')
    assert.match(html, /<tr><th><\/th><th>a<\/th><\/tr>.*<tr><td>b<\/td><td>c<\/td><\/tr>/)
  })

  test('labels every cell of a wide table with its column and keeps the roles of rows and cells', () => {
    const { html } = rendered('| a | `b` | c | |\n|---|---|---|---|\n| 1 | 2 | | 4 |')
    assert.match(html, /<tr role="row"><td role="cell">1<\/td><td role="cell" data-head="b">2<\/td>/)
    assert.match(html, /<td role="cell" data-head="c"><\/td><td role="cell" data-head="">4<\/td>/)
  })

  test('breaks long names in tables only between their parts', () => {
    const { html } = rendered('| a |\n|---|\n| `/v1/vat/record/action` and `127.0.0.1` |')
    assert.match(
      html,
      /<code>\/v1\/<wbr>vat\/<wbr>record\/<wbr>action<\/code> and <code>127\.0\.0\.1<\/code>/,
    )
  })
})
