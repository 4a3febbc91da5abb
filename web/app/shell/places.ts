import type { OperationId } from '../../../sdk/node/src/generated/operations.ts'

interface ScreenPlace {
  readonly href: string
  readonly word: string
  readonly icon: string
  /** Shown to those who may make this call. */
  readonly needs: OperationId
  readonly group: 'work' | 'proof' | 'rule'
  /** The key to press after g. */
  readonly letter: string
}

/** The screens in the order of the rail. Icons are paths in a box of 16. */
export const PLACES: readonly ScreenPlace[] = [
  {
    href: '/app',
    word: 'Overview',
    icon: 'M2 2h5v6H2zM9 2h5v4H9zM9 8h5v6H9zM2 10h5v4H2z',
    needs: 'getStats',
    group: 'work',
    letter: 'o',
  },
  {
    href: '/app/approvals',
    word: 'Approvals',
    icon: 'M3 8.5 6.5 12 13 4.5',
    needs: 'listApprovals',
    group: 'work',
    letter: 'p',
  },
  {
    href: '/app/live',
    word: 'Live',
    icon: 'M1.5 8h3L6.5 3l3 10 2-5h3',
    needs: 'listEvents',
    group: 'work',
    letter: 'l',
  },
  {
    href: '/app/agents',
    word: 'Agents',
    icon: 'M8 8.500a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM2.5 14c.5-3 2.8-4.5 5.5-4.500s5 1.5 5.5 4.5',
    needs: 'listAgents',
    group: 'work',
    letter: 'a',
  },
  {
    href: '/app/workflows',
    word: 'Workflows',
    icon: 'M2 3.500h4v4H2zM10 2.500h4v3h-4zM10 10.500h4v3h-4zM6 5.500h2v6h2M8 4h2',
    needs: 'listWorkflows',
    group: 'work',
    letter: 'w',
  },
  {
    href: '/app/tokens',
    word: 'Tokens',
    icon: 'M5.5 10.500a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM8 7.500h6v3M11.5 7.500v2',
    needs: 'listTokens',
    group: 'work',
    letter: 't',
  },
  {
    href: '/app/denials',
    word: 'Denials',
    icon: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM4 4l8 8',
    needs: 'listDenials',
    group: 'work',
    letter: 'd',
  },
  {
    href: '/app/log',
    word: 'Log & witnesses',
    icon: 'M3 2.500h10v11H3zM5.5 5.500h5M5.5 8h5M5.5 10.500h3',
    needs: 'listWitnesses',
    group: 'proof',
    letter: 'c',
  },
  {
    href: '/app/audit',
    word: 'Audit',
    icon: 'M2.500 2.500h11v3h-11zM3.500 5.500v8h9v-8M6 8.500h4M8 8.500v3M6.500 10.500 8 12l1.500-1.500',
    needs: 'exportAuditPack',
    group: 'proof',
    letter: 'u',
  },
  {
    href: '/app/trust',
    word: 'Trust graph',
    icon: 'M4 6a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM12 8.500a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM6 14a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM5.8 4.500l4.300 1.500M10.500 7.700 7.500 10.700M4.400 6l1 4',
    needs: 'getTrustGraph',
    group: 'proof',
    letter: 'v',
  },
  {
    href: '/app/people',
    word: 'People',
    icon: 'M6 7.500a2.500 2.500 0 1 0 0-5 2.500 2.500 0 0 0 0 5zM1.500 13c.4-2.600 2.200-3.900 4.500-3.900s4.100 1.300 4.500 3.900M10.500 2.800a2.500 2.500 0 0 1 0 4.500M11.800 9.400c1.500.5 2.500 1.700 2.700 3.600',
    needs: 'listHumans',
    group: 'rule',
    letter: 'h',
  },
  {
    href: '/app/access',
    word: 'Keys & policies',
    icon: 'M8 1.800 13 4v4c0 3-2 5.200-5 6.200C5 13.200 3 11 3 8V4zM5.800 8l1.600 1.600 2.900-3.200',
    needs: 'listPolicies',
    group: 'rule',
    letter: 'y',
  },
  {
    href: '/app/health',
    word: 'Health',
    icon: 'M8 13.500C3.500 10.500 1.800 8.300 1.800 6a3 3 0 0 1 6.200-1 3 3 0 0 1 6.200 1c0 2.300-1.700 4.500-6.200 7.500zM4 8h2l1-2 1.500 3.500L9.500 8H12',
    needs: 'getServiceStatus',
    group: 'rule',
    letter: 's',
  },
]
