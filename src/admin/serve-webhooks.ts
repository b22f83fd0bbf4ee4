import { randomUUID } from 'node:crypto';
import { appendAudit } from '../account/audit/append-audit.ts';
import { findAccount } from '../account/find-account.ts';
import type { InstallationKey } from '../account/installation-key.ts';
import type { Store } from '../store/open-store.ts';
import type { StoreTransaction } from '../store/transaction.ts';
import { deleteWebhook } from '../webhooks/delete-webhook.ts';
import { sendTest } from '../webhooks/deliveries.ts';
import { findOwner } from '../webhooks/find-owner.ts';
import type { LedgerChoice } from '../webhooks/ledger/ledger-choice.ts';
import type { LedgerStarts } from '../webhooks/ledger/ledger-starts.ts';
import { readLedgerChoice, type WrittenLedger } from '../webhooks/ledger/read-ledger-choice.ts';
import { readTarget } from '../webhooks/target.ts';
import {
  changeWebhook,
  createWebhook,
  readWebhooks,
  replayFrom,
  rotateSecret,
  type Webhook,
} from '../webhooks/webhooks.ts';
import { mistake, type WebhookRequest } from './webhook-request.ts';

/** The parts of the server that these requests act on. */
export type WebhookCommandDeps = {
  readonly store: Store;
  readonly installationKey: () => Promise<InstallationKey>;
  /** Undefined where no server runs that knows the ledgers. */
  readonly ledgers?: LedgerStarts;
};

/** An operator may name any address; where events are really sent, the server decides by its settings. */
const ANYWHERE = { any: () => true, plain: () => true };

/** Does what a request about webhooks asks. Changes are records in the audit log of the account. */
export async function serveWebhooks(
  { store, installationKey, ledgers }: WebhookCommandDeps,
  request: WebhookRequest,
  nowMs: number,
): Promise<unknown> {
  const { kind } = request;
  if (kind === 'webhooks.list') {
    const webhooks = await readWebhooks(store, await findAccount(store, request.account));
    return { webhooks: webhooks.map(show) };
  }
  const accountId =
    kind === 'webhooks.create'
      ? await findAccount(store, request.account)
      : await findOwner(store, request.id);
  const depsOf = (action: string) => ({ store, record: recordIn(accountId, action, nowMs) });
  if (kind === 'webhooks.create') {
    const { name, events, isOrdered } = request;
    const ledger = request.ledger && (await readLedger(ledgers, request.ledger));
    const url = readTarget(request.url, ANYWHERE).href;
    const choice = { name, url, events: [...events], isOrdered, ledger };
    const deps = { ...depsOf('createwebhook'), installationKey: await installationKey() };
    const { webhook, secret } = await createWebhook(deps, accountId, choice, nowMs);
    return { ...show(webhook), secret };
  }
  const own = { accountId, id: request.id };
  switch (kind) {
    case 'webhooks.set':
      return show(await changeWebhook(depsOf('updatewebhook'), own, { isActive: request.isActive }, nowMs));
    case 'webhooks.rotate': {
      const deps = { ...depsOf('rotatewebhooksecret'), installationKey: await installationKey() };
      const { webhook, secret } = await rotateSecret(deps, own, request.overlapMs, nowMs);
      return { ...show(webhook), secret };
    }
    case 'webhooks.replay':
      return show(await replayFrom(depsOf('replaywebhook'), own, request.fromSeq));
    case 'webhooks.test': {
      const { id, eventId } = await sendTest(depsOf('testwebhook'), own, nowMs);
      return { id: request.id, delivery_id: id, event_id: eventId };
    }
    case 'webhooks.delete':
      return show(await deleteWebhook(depsOf('deletewebhook'), own, nowMs));
  }
}

/** @throws ServiceError `invalidCommand` where no server runs, and for a network that it does not have. */
async function readLedger(ledgers: LedgerStarts | undefined, written: WrittenLedger): Promise<LedgerChoice> {
  if (ledgers === undefined)
    throw mistake('--address, --program and --signature need a running server, which knows the ledgers');
  const { network } = written;
  if (network === undefined || ledgers.networks.includes(network))
    return readLedgerChoice(ledgers, written, null);
  throw mistake(`--network must be one of ${ledgers.networks.join(', ')}; got ${network}`);
}

/** A command has no token, and no request id but one that is made for its records. */
function recordIn(accountId: string, action: string, nowMs: number) {
  const requestId = `cmd_${randomUUID()}`;
  return (tx: StoreTransaction, subject: string) =>
    appendAudit(tx, accountId, [{ action, outcome: 'ok', requestId, subject }], nowMs);
}

function show({ id, name, url, events, isOrdered, stop, position, waiting, createdAt, ledger }: Webhook) {
  const state = stop ?? 'active';
  const shown = {
    id,
    name,
    url,
    events,
    ordered: isOrdered,
    state,
    position,
    waiting,
    created_at: createdAt,
  };
  return ledger === null ? shown : { ...shown, ledger };
}
