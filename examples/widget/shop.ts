import { createServer } from 'node:http'
import { deputy } from '@deputize/sdk'

const url = process.env.DEPUTY_URL ?? 'http://localhost:8420'
const client = deputy({ url })

createServer(async (_request, response) => {
  const { session_id, client_token } = await client.createHostedSession({
    purpose: 'verify',
    developer_email: 'ann@example.com',
    request: { agent_id: 'payments-bot', resources: ['payments:invoices'], actions: ['pay'] },
  })
  response.setHeader('content-type', 'text/html').end(`<!doctype html><title>Shop</title>
    <script type="module" src="${url}/widget.js"></script>
    <deputy-verify session="${session_id}" token="${client_token}"></deputy-verify><output></output>
    <script type="module">
      const show = ({ detail }) => (document.querySelector('output').textContent = detail.token.jti)
      document.addEventListener('verified', show)
    </script>`)
}).listen(process.env.PORT ?? 3000)
