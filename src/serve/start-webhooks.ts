import type { Logger } from 'pino';
import type { Config } from '../../generated/config.ts';
import type { AccountPlane } from '../account/setup/account-plane.ts';
import { stoppedMail } from '../account/email/mail-texts.ts';
import type { MemberMail, ToldMembers } from '../account/email/member-mail.ts';
import type { Role } from '../account/identity/members/sessions.ts';
import { repeatSteps } from '../core/repeat-steps.ts';
import type { WebhookParts } from '../account/api/account-context.ts';
import type { Clock } from '../core/clock.ts';
import { isLoopbackHost } from '../core/loopback.ts';
import type { LogFailure } from '../server/access/failure-log.ts';
import type { WebhookMetrics } from '../account/webhooks/webhook-metrics.ts';
import { createRequestId } from '../core/request-id.ts';
import { eq } from '../store/drizzle.ts';
import type { PrioritizedStore } from '../store/open-store.ts';
import { withStoreErrors } from '../store/store-errors.ts';
import { accounts } from '../store/tables.ts';
import { type AllowedAddresses, allowAddresses } from '../account/webhooks/allowed-addresses.ts';
import { retainDeliveries } from '../account/webhooks/deliveries.ts';
import type { Round, Stop } from '../account/webhooks/deliver-round.ts';
import { startDispatcher } from '../account/webhooks/dispatcher.ts';
import type { WorkingWebhook } from '../account/webhooks/find-work.ts';
import { followLedgers } from '../account/webhooks/ledger/follow-ledgers.ts';
import type { LedgerSource } from '../account/webhooks/ledger/ledger-source.ts';
import type { LedgerStarts } from '../account/webhooks/ledger/ledger-starts.ts';
import { claimStopEmail, purgeActs } from '../account/webhooks/limited-acts.ts';
import { createPostEvent } from '../account/webhooks/post-event.ts';
import { createResolveHost } from '../account/webhooks/resolve-host.ts';
import { stopWebhook } from '../account/webhooks/stop-webhook.ts';
import { MAX_WEBHOOKS } from '../account/webhooks/webhooks.ts';

export type WebhooksParts = {
  readonly config: Pick<Config, 'http' | 'webhooks'>;
  readonly store: Pick<PrioritizedStore, 'lowPriority'>;
  /** The plan of an account. */
  readonly planOf: (accountId: string) => { readonly requestsPerSecond: number };
  readonly account: Pick<AccountPlane, 'installationKey' | 'ownerId'>;
  /** Undefined where the server sends no mail. */
  readonly mail: Pick<MemberMail, 'tellMembers'> | undefined;
  readonly metrics: WebhookMetrics;
  /** The networks that there are events of. */
  readonly sources: readonly LedgerSource[];
  readonly ledgers: LedgerStarts;
  readonly logFailure: LogFailure;
  readonly clock: Clock;
  readonly log: Logger;
};

/** The running delivery of events. Close it when nothing listens any more, before the account plane. */
export type Webhooks = { readonly parts: WebhookParts; readonly close: () => Promise<void> };

const WHERE = 'webhooks';
const USER_AGENT = 'Keyslot';

/**
 * Reads ledgers for webhooks, delivers events to them, and deletes settled deliveries after the days of the settings. All of it waits behind
 * wallet requests at the store.
 */
export function startWebhooks({
  config,
  store: { lowPriority: store },
  planOf,
  account,
  mail,
  metrics,
  sources,
  ledgers,
  logFailure,
  clock,
  log,
}: WebhooksParts): Webhooks {
  const { installationKey, ownerId } = account;
  const rules = allowedBy(config);
  const resolve = createResolveHost();
  const senders = {
    own: createPostEvent({ isAllowed: rules.own.any, resolve }),
    any: createPostEvent({ isAllowed: rules.any.any, resolve }),
  };
  const stopped = new Map<string, Stop>();
  const dispatcher = startDispatcher({
    store,
    planOf,
    installationKey,
    gatewayId: ownerId,
    clock,
    log,
    userAgent: USER_AGENT,
    postFor: ({ isOfDevelopment }) => (isOfDevelopment ? senders.own : senders.any).post,
    onStop: async (tx, webhook, stop, nowMs) => {
      const { id: webhookId, accountId } = webhook;
      const stopping = { accountId, webhookId, stop, requestId: createRequestId(), nowMs };
      if (!(await stopWebhook(tx, stopping))) return;
      if (mail !== undefined && (await claimStopEmail(tx, webhook, MAX_WEBHOOKS, nowMs)))
        await mail.tellMembers(tx, noticeOf(webhook, stop), nowMs);
      stopped.set(webhookId, stop);
    },
    onRound: (webhook, round) => {
      countRound(metrics, round);
      const stop = stopped.get(webhook.id);
      stopped.delete(webhook.id);
      if (stop === undefined) return;
      metrics.countStop(stop);
      log.warn({ webhook: webhook.id, account: webhook.accountId, reason: stop }, 'a webhook has stopped');
    },
  });
  const follower = followLedgers({
    store,
    gatewayId: ownerId,
    sources,
    clock,
    log,
    onFailure: logFailure,
  });
  const purge = async (): Promise<boolean> => {
    await purgeActs(store, clock.nowMs());
    return retainDeliveries(store, config.webhooks, clock.nowMs());
  };
  const stopPurge = repeatSteps({
    step: () => withStoreErrors(WHERE, purge),
    failure: 'old deliveries of webhooks cannot be deleted; trying again',
    log,
  });
  const allowedFor = async (accountId: string): Promise<AllowedAddresses> => {
    const found = await store.db
      .select({ kind: accounts.kind })
      .from(accounts)
      .where(eq(accounts.id, accountId));
    return found[0]?.kind === 'development' ? rules.own : rules.any;
  };
  const close = async (): Promise<void> => {
    await Promise.all([follower.close(), dispatcher.close(), stopPurge()]);
    senders.own.close();
    senders.any.close();
  };
  return { parts: { installationKey: async () => installationKey, allowedFor, ledgers }, close };
}

/** `own`: for the development account, which may call this machine if only this machine can call the server. */
function allowedBy({ http, webhooks }: Pick<Config, 'http' | 'webhooks'>) {
  const isOwnMachine = isLoopbackHost(http.host) && !http.behind_proxy;
  const cidrs = webhooks.allowed_targets;
  return { any: allowAddresses(cidrs, false), own: allowAddresses(cidrs, isOwnMachine) };
}

function countRound(metrics: WebhookMetrics, { outcomes }: Round): void {
  for (const { attempt, state } of outcomes) if (attempt !== undefined) metrics.countAttempts(state, 1);
}

/** The roles that manage webhooks. */
const TOLD: ReadonlySet<Role> = new Set(['owner', 'developer']);

function noticeOf({ accountId, url }: WorkingWebhook, stop: Stop): ToldMembers {
  const { host } = new URL(url);
  return {
    kind: 'webhook',
    accountId,
    roles: TOLD,
    mailOf: (to, account) => stoppedMail({ to, account, host, stop }),
  };
}
