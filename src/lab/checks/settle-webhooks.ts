import { eventually } from '../../base/eventually.ts';
import type { GatewayProcess } from '../gateways/gateway-process.ts';
import { type LabWebhook, retryOldest } from '../receiver/lab-webhook.ts';
import type { Findings } from './findings.ts';
import { type AuditRecord, readAudit } from './judge-audit.ts';

const DELIVERED_MS = 90_000;
const LOOK_MS = 1_000;

/** Waits until the webhook of each account has got what its audit log has now, and notes what never came. */
export async function settleWebhooks(
  webhooks: readonly LabWebhook[],
  gateway: GatewayProcess,
  findings: Findings,
): Promise<void> {
  const untilMs = performance.now() + DELIVERED_MS;
  for (const webhook of webhooks) {
    const records = await readAudit(gateway, webhook.customer.account);
    const wanted = records.filter(({ seq }) => seq > webhook.position);
    const hasAll = async (): Promise<true | undefined> => {
      if (wanted.every(({ seq }) => webhook.delivered.actionOf(seq) !== undefined)) return true;
      await retryOldest(gateway, webhook);
      return undefined;
    };
    const timeoutMs = Math.max(LOOK_MS, untilMs - performance.now());
    await eventually('every event came', hasAll, { timeoutMs, intervalMs: LOOK_MS }).catch(() => undefined);
    judgeDeliveries(webhook, wanted, findings);
  }
}

/** Every record came, as what it is. */
export function judgeDeliveries(
  { customer: { account }, delivered }: Pick<LabWebhook, 'customer' | 'delivered'>,
  wanted: readonly Pick<AuditRecord, 'seq' | 'action'>[],
  findings: Findings,
): void {
  findings.check('lost_delivery', wanted.length);
  for (const { seq, action } of wanted) {
    const came = delivered.actionOf(seq);
    if (came === action) continue;
    const what = came === undefined ? 'never came' : `came as ${came}`;
    findings.break('lost_delivery', `${account}: the event ${seq} (${action}) ${what}`);
  }
}
