import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { createAccountClient } from '../../generated/account/client.ts';
import { appendAuditInOwnTransaction } from '../../src/account/audit/append-audit.ts';
import { eventually } from '../../src/core/eventually.ts';
import { openStore } from '../../src/store/open-store.ts';
import { SILENT } from '../store/backends.ts';

const FACTS = 1_000;

/** Starts a receiver of events that is down: it answers 503. */
export async function startDownReceiver(): Promise<{ readonly url: string; readonly close: () => void }> {
  const receiver = createServer((_request, response) => void response.writeHead(503).end());
  await new Promise<void>((listening) => receiver.listen(0, '127.0.0.1', listening));
  const { port } = receiver.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/`, close: () => receiver.close() };
}

/** Adds as many records to the audit log of an account, behind the back of the server. */
export async function addEvents(
  place: { readonly dataDir: string; readonly databaseUrl: string },
  accountId: string,
  count: number,
): Promise<void> {
  const store = await openStore(place, SILENT);
  try {
    for (let made = 0; made < count; made += FACTS) {
      const facts = Array.from({ length: FACTS }, (_, at) => ({
        action: 'sign',
        outcome: 'ok',
        requestId: 'req_bench',
        walletId: `w_${(made + at) % 50}`,
      }));
      await appendAuditInOwnTransaction(store, accountId, facts, Date.now());
    }
  } finally {
    await store.close();
  }
}

/** Resolves when an attempt to deliver to a webhook has failed. */
export async function isFailing(
  account: Pick<ReturnType<typeof createAccountClient>, 'listWebhooks'>,
  webhookId: string,
): Promise<void> {
  await eventually('attempts fail', async () => {
    const { webhooks } = await account.listWebhooks();
    return webhooks.find(({ webhook_id }) => webhook_id === webhookId)?.failing_since;
  });
}
