import type { Message } from '../message.ts'

/**
 * Renders a message as an Adaptive Card, for a Teams incoming webhook. Text blocks and fact sets read Markdown, so
 * foreign text appears only in rich text runs, which don't. The button only opens the page.
 */
export function renderTeams({ title, facts, notes, link }: Message) {
  return {
    type: 'message',
    summary: title,
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        contentUrl: null,
        content: {
          $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
          type: 'AdaptiveCard',
          version: '1.4',
          body: [
            richText([{ type: 'TextRun', text: title, size: 'Large', weight: 'Bolder' }]),
            ...facts.map(({ label, value }) =>
              richText([
                { type: 'TextRun', text: `${label}: `, isSubtle: true },
                { type: 'TextRun', text: value },
              ]),
            ),
            ...notes.map((text) => richText([{ type: 'TextRun', text, isSubtle: true }])),
          ],
          actions: [{ type: 'Action.OpenUrl', title: link.label, url: link.url }],
        },
      },
    ],
  } as const
}

interface TextRun {
  readonly type: 'TextRun'
  readonly text: string
  readonly size?: 'Large'
  readonly weight?: 'Bolder'
  readonly isSubtle?: true
}

function richText(inlines: readonly TextRun[]) {
  return { type: 'RichTextBlock', inlines } as const
}
