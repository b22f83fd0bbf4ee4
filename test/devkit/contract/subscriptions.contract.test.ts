import { Keypair, SystemProgram } from '@solana/web3.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SUBSCRIPTION_CONTRACT } from '../../../generated/contract/ledger/subscription-contract.ts';
import { startKeyslot, startLocalnet } from '../../support/keyslot.ts';
import { LEDGER_ARGS, LEDGER_ENV } from '../../support/test-ledger.ts';
import { isThorough } from '../../support/tier.ts';
import { sampleOf } from './sample.ts';
import { createDriftRecord } from '../../../src/devkit/contract/command/print-report.ts';
import type { CaseResult } from '../../../src/devkit/contract/runner.ts';
import type { Scenario } from '../../../src/devkit/contract/scenario.ts';
import { freshValues } from '../../../src/devkit/contract/scenario/fresh-values.ts';
import { openWallet } from '../../../src/devkit/contract/scenario/wallet-session.ts';
import { runSubscriptions } from '../../../src/devkit/contract/subscriptions/run-subscriptions.ts';
import { withNextTransfer } from '../../../src/devkit/contract/subscriptions/subscription-scenario.ts';

const cases = Object.values(SUBSCRIPTION_CONTRACT).flatMap(sampleOf);

type Server = { readonly rpcUrl: string; readonly stop: () => Promise<void> };

/** As much of the scenario as subscriptions ask for. */
async function actTransfers(target: Server): Promise<Scenario> {
  const session = await openWallet(target);
  const recipient = Keypair.generate().publicKey;
  const fresh = freshValues(session, recipient.toBase58());
  const fixed: Readonly<Record<string, string>> = {
    wallet: session.wallet.publicKey.toBase58(),
    recipient: recipient.toBase58(),
    dataProgram: Keypair.generate().publicKey.toBase58(),
    systemProgram: SystemProgram.programId.toBase58(),
  };
  return { value: async (name) => fixed[name] ?? (await fresh[name]?.()) };
}

const SERVERS: readonly (readonly [string, () => Promise<Server>])[] = [
  ['the embedded ledger', () => startLocalnet({ args: LEDGER_ARGS })],
  ['the gateway', () => startKeyslot({ env: LEDGER_ENV })],
];

describe.each(isThorough ? SERVERS : SERVERS.slice(1))('the subscriptions of %s', (_, start) => {
  let server: Server;
  let results: readonly CaseResult[];
  const drift = createDriftRecord();

  beforeAll(async () => {
    server = await start();
    const { scenario, transfer } = await withNextTransfer(server, await actTransfers(server));
    results = await runSubscriptions(
      { wsUrl: server.rpcUrl.replace(/^http/, 'ws'), hear: drift.hear },
      cases,
      scenario,
      transfer,
    );
  });
  afterAll(() => server?.stop());

  for (const [at, { method, kind, name }] of cases.entries())
    test(`${method}: ${kind}: ${name}`, () => {
      expect(results[at]?.case).toBe(cases[at]);
      expect(results[at]?.failures).toEqual([]);
    });

  test('nothing was told that the specification does not know', () => {
    expect(drift.report().findings).toEqual([]);
  });
});
