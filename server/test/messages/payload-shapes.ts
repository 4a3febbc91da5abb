/** The shapes that Slack and Microsoft document for what this service sends, as JSON Schema. */

const plainText = (longest: number) => ({
  type: 'object',
  required: ['type', 'text'],
  additionalProperties: false,
  properties: {
    type: { const: 'plain_text' },
    text: { type: 'string', minLength: 1, maxLength: longest },
    emoji: { type: 'boolean' },
  },
})

/** An incoming webhook accepts text and blocks: https://docs.slack.dev/reference/block-kit/blocks */
export const SLACK_MESSAGE = {
  type: 'object',
  required: ['text', 'blocks'],
  additionalProperties: false,
  properties: {
    text: { type: 'string', minLength: 1, maxLength: 4000 },
    unfurl_links: { type: 'boolean' },
    unfurl_media: { type: 'boolean' },
    blocks: {
      type: 'array',
      maxItems: 50,
      items: {
        oneOf: [
          {
            required: ['type', 'text'],
            additionalProperties: false,
            properties: { type: { const: 'header' }, text: plainText(150) },
          },
          {
            required: ['type', 'fields'],
            additionalProperties: false,
            properties: {
              type: { const: 'section' },
              fields: { type: 'array', minItems: 1, maxItems: 10, items: plainText(2000) },
            },
          },
          {
            required: ['type', 'elements'],
            additionalProperties: false,
            properties: {
              type: { const: 'context' },
              elements: { type: 'array', minItems: 1, maxItems: 10, items: plainText(2000) },
            },
          },
          {
            required: ['type', 'elements'],
            additionalProperties: false,
            properties: {
              type: { const: 'actions' },
              elements: {
                type: 'array',
                minItems: 1,
                maxItems: 25,
                items: {
                  required: ['type', 'text', 'action_id'],
                  additionalProperties: false,
                  properties: {
                    type: { const: 'button' },
                    text: plainText(75),
                    action_id: { type: 'string', maxLength: 255 },
                    value: { type: 'string', maxLength: 2000 },
                    url: { type: 'string', maxLength: 3000, pattern: '^https?://' },
                    style: { enum: ['primary', 'danger'] },
                  },
                },
              },
            },
          },
        ],
      },
    },
  },
}

/** Workflows of Teams accept a message with one card: https://adaptivecards.io/explorer, version 1.4 */
export const ADAPTIVE_CARD_MESSAGE = {
  type: 'object',
  required: ['type', 'attachments'],
  additionalProperties: false,
  properties: {
    type: { const: 'message' },
    summary: { type: 'string' },
    attachments: {
      type: 'array',
      minItems: 1,
      maxItems: 1,
      items: {
        type: 'object',
        required: ['contentType', 'content'],
        additionalProperties: false,
        properties: {
          contentType: { const: 'application/vnd.microsoft.card.adaptive' },
          contentUrl: { type: 'null' },
          content: {
            type: 'object',
            required: ['type', 'version', 'body'],
            additionalProperties: false,
            properties: {
              $schema: { const: 'http://adaptivecards.io/schemas/adaptive-card.json' },
              type: { const: 'AdaptiveCard' },
              version: { const: '1.4' },
              body: {
                type: 'array',
                items: {
                  type: 'object',
                  required: ['type', 'inlines'],
                  additionalProperties: false,
                  properties: {
                    type: { const: 'RichTextBlock' },
                    inlines: {
                      type: 'array',
                      items: {
                        type: 'object',
                        required: ['type', 'text'],
                        additionalProperties: false,
                        properties: {
                          type: { const: 'TextRun' },
                          text: { type: 'string' },
                          size: { enum: ['Small', 'Default', 'Medium', 'Large', 'ExtraLarge'] },
                          weight: { enum: ['Lighter', 'Default', 'Bolder'] },
                          isSubtle: { type: 'boolean' },
                        },
                      },
                    },
                  },
                },
              },
              actions: {
                type: 'array',
                items: {
                  type: 'object',
                  required: ['type', 'url'],
                  additionalProperties: false,
                  properties: {
                    type: { const: 'Action.OpenUrl' },
                    title: { type: 'string' },
                    url: { type: 'string' },
                  },
                },
              },
            },
          },
        },
      },
    },
  },
}
