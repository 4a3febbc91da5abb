import { useLoad } from '../../api/load.ts'
import { Card, Empty, Shown } from '../../parts/basics.tsx'
import { SessionTable } from './session-table.tsx'

export function SessionsTab() {
  const list = useLoad('listSignIns', {})
  return (
    <Card title="Open sessions" kind="flush">
      <Shown of={list}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty title="No open session.">
              A session begins when someone signs in with an API key or a sign-in provider. The sessions of a
              person are on their page.
            </Empty>
          ) : (
            <SessionTable sessions={data} reload={list.reload} />
          )
        }
      </Shown>
    </Card>
  )
}
