import { ensureAccount } from '../account/accounts.ts';
import { type ApiKey, createApiKey, type KeyDeps, listApiKeys, revokeApiKey } from '../account/api-keys.ts';
import type { KeyRules } from '../account/key-rules.ts';
import { rotateApiKey } from '../account/rotate-api-key.ts';
import type { Clock } from '../base/clock.ts';
import { serviceError } from '../base/service-error.ts';
import type { PlanDeps } from '../account/plans.ts';
import type { KeyRequest } from './key-request.ts';
import type { MasterRotation } from './master-rotation.ts';
import type { AdoptionResult } from './adopt-without-server.ts';
import { type AccountDeps, serveAccount } from './serve-account.ts';
import { readRequest } from './read-request.ts';
import { serveBilling } from './serve-billing.ts';
import { serveLists } from './serve-lists.ts';
import { serveOperators } from './serve-operators.ts';
import { serveMembers, type MemberCommandDeps } from './serve-members.ts';
import { servePlans } from './serve-plans.ts';
import { serveServiceLevel } from './serve-service-level.ts';
import { serveUsage, type UsageDeps } from './serve-usage.ts';
import { serveWebhooks, type WebhookCommandDeps } from './serve-webhooks.ts';
import type { ServeCommand } from './wire.ts';

/** The parts of the server that requests act on: the store, its copies in memory, and counts that are not stored yet. */
export type CommandDeps = KeyDeps &
  PlanDeps &
  UsageDeps &
  AccountDeps &
  MemberCommandDeps &
  WebhookCommandDeps & {
    /** Re-encrypts every managed key under a new master key: see `MasterRotation`. */
    readonly rotateMaster: MasterRotation['run'];
    /** Makes the store accept the signer of the data directory. @throws ServiceError where a server runs. */
    readonly adoptSigner: () => Promise<AdoptionResult>;
    /** Copies the files of an embedded store: see `copyStore`. @throws ServiceError where no server runs. */
    readonly copyStore: () => Promise<unknown>;
    /** Reads the state of each part, as `/readyz` shows it. @throws ServiceError where no server runs. */
    readonly readStatus: () => Promise<unknown>;
    /** Shows the ledger nodes. @throws ServiceError where no server runs that knows them. */
    readonly showNodes: () => unknown;
  };

/**
 * Does what requests ask, in the store and in memory at once. `--json` prints the results: member names in snake case, instants
 * as ISO 8601. A key is only in the result that creates it.
 *
 * Throws ServiceError `storeUnavailable` before anything is done when the store does not answer.
 */
export function createServeCommand(deps: CommandDeps, clock: Clock): ServeCommand {
  return async (command) => {
    const { about, request } = readRequest(command);
    if (about === 'nodes') return deps.showNodes();
    if (about === 'status') return deps.readStatus();
    await deps.store.ping();
    switch (about) {
      case 'keys':
        return serveKeys(deps, request, clock.nowMs());
      case 'copy':
        return deps.copyStore();
      case 'plans':
        return servePlans(deps, request);
      case 'usage':
        return serveUsage(deps, request);
      case 'lists':
        return serveLists(deps.store, request);
      case 'service-level':
        return serveServiceLevel(deps.store, request, clock.nowMs());
      case 'operators':
        return serveOperators(deps, request, clock.nowMs());
      case 'members':
        return serveMembers(deps, request, clock.nowMs());
      case 'webhooks':
        return serveWebhooks(deps, request, clock.nowMs());
      case 'billing':
        return serveBilling(deps.store, request, clock.nowMs());
      case 'account':
        return serveAccount(deps, request, clock.nowMs());
      case 'signer':
        return request.kind === 'signer.adopt' ? deps.adoptSigner() : deps.rotateMaster();
    }
  };
}

async function serveKeys(deps: KeyDeps & PlanDeps, request: KeyRequest, nowMs: number): Promise<unknown> {
  switch (request.kind) {
    case 'keys.create': {
      const { name, account, rules } = request;
      const accountId = await ensureAccount(deps.store, account, nowMs);
      const { id, text } = await createApiKey(deps, { accountId, name, rules }, nowMs);
      const plan = deps.plans.planOf(accountId).name;
      return { id, key: text, name, account, plan, created_at: new Date(nowMs), ...rules };
    }
    case 'keys.list': {
      const keys = await listApiKeys(deps.store);
      const { account } = request;
      const wanted = keys.filter((key) => account === undefined || key.account === account);
      return { keys: wanted.map((key) => showKey(key, deps.plans.planOf(key.accountId).name, nowMs)) };
    }
    case 'keys.rotate': {
      const { id: keyId, overlapMs } = request;
      const { id, text, name, oldUntil } = await rotateApiKey(deps, { keyId, overlapMs }, nowMs);
      return {
        id,
        key: text,
        name,
        created_at: new Date(nowMs),
        replaces: { id: keyId, valid_until: oldUntil },
      };
    }
    case 'keys.revoke': {
      const revokedAt = await revokeApiKey(deps, request.id, nowMs);
      if (revokedAt === undefined) throw serviceError('keyNotFound', { id: request.id });
      return { id: request.id, revoked_at: revokedAt };
    }
  }
}

function showKey(key: ApiKey, plan: string, nowMs: number) {
  const { id, prefix, name, account, createdAt, expiresAt, revokedAt } = key;
  const rules: KeyRules = { origins: key.allowedOrigins, cidrs: key.allowedCidrs };
  const state = stateOf(key, nowMs);
  return {
    id,
    prefix,
    name,
    account,
    plan,
    state,
    created_at: createdAt,
    expires_at: expiresAt,
    revoked_at: revokedAt,
    ...rules,
  };
}

/** `valid` also while a rotated key still works. */
function stateOf({ revokedAt, expiresAt }: ApiKey, nowMs: number): 'valid' | 'revoked' | 'expired' {
  if (revokedAt !== null) return 'revoked';
  return expiresAt !== null && expiresAt.getTime() <= nowMs ? 'expired' : 'valid';
}
