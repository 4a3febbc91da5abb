import { createKey } from './create-key.ts'
import { createTenant } from './create-tenant.ts'
import { deleteKey } from './delete-key.ts'
import { evaluatePolicies } from './evaluate-policies.ts'
import { getAuthorizationServer } from './get-authorization-server.ts'
import { getAuthzenConfiguration } from './get-authzen-configuration.ts'
import { getDeployment } from './get-deployment.ts'
import { getHealth } from './get-health.ts'
import { getKeySet } from './get-key-set.ts'
import { getPolicy } from './get-policy.ts'
import { getReadiness } from './get-readiness.ts'
import { getServiceStatus } from './get-service-status.ts'
import { getTenant } from './get-tenant.ts'
import { listKeys } from './list-keys.ts'
import { listPolicies } from './list-policies.ts'
import { listSecurityEvents } from './list-security-events.ts'
import { listSigningKeys } from './list-signing-keys.ts'
import { listTenants } from './list-tenants.ts'
import { rotateKey } from './rotate-key.ts'
import { rotateSigningKey } from './rotate-signing-key.ts'
import { setUp } from './set-up.ts'
import { updateTenant } from './update-tenant.ts'
import { withdrawSigningKey } from './withdraw-signing-key.ts'

export const DEPLOYMENT_HANDLERS = {
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
  rotateSigningKey,
  withdrawSigningKey,
  listSecurityEvents,
  listSigningKeys,
  getKeySet,
  getAuthorizationServer,
  getAuthzenConfiguration,
  getDeployment,
  getHealth,
  getReadiness,
  getServiceStatus,
}
