/** A valid request body for `issue/l1`. */
export function anIssueRequest(changes: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    developer_email: 'dev@example.com',
    agent_id: 'calendar-bot',
    resources: ['calendar:events', 'email:read'],
    actions: ['read', 'write'],
    ...changes,
  }
}
