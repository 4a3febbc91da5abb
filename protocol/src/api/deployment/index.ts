import type { Operation } from '../operation.ts'
import {
  getAuthorizationServer,
  getAuthzenConfiguration,
  getDeployment,
  getHealth,
  getKeySet,
  getReadiness,
} from './discovery.ts'
import { evaluatePolicies, getPolicy, listPolicies } from './policies.ts'
import { listSecurityEvents } from './security-events.ts'
import { getServiceStatus } from './service-status.ts'
import { listSigningKeys, rotateSigningKey, withdrawSigningKey } from './signing-keys.ts'
import {
  createKey,
  createTenant,
  deleteKey,
  getTenant,
  listKeys,
  listTenants,
  rotateKey,
  setUp,
  updateTenant,
} from './tenants-and-keys.ts'

export const DEPLOYMENT_OPERATIONS = {
  listPolicies,
  getPolicy,
  evaluatePolicies,
  createTenant,
  listTenants,
  getTenant,
  updateTenant,
  createKey,
  listKeys,
  deleteKey,
  rotateKey,
  setUp,
  listSecurityEvents,
  rotateSigningKey,
  withdrawSigningKey,
  listSigningKeys,
  getKeySet,
  getAuthorizationServer,
  getAuthzenConfiguration,
  getDeployment,
  getHealth,
  getReadiness,
  getServiceStatus,
} as const satisfies Record<string, Operation>
