import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The files that take longest, most of them more than half a minute: started last, one of them would be waited for alone. */
const LONGEST = [
  'account-api/live/contract',
  'additions/one-of-each.long',
  'wallets/kill-client-streams',
  'pack/packed-keyslot.long',
  'dashboard/usage-and-audit.long',
  'webhooks/ledger/losses',
  'browser/wallet-reference',
  'cli',
  'browser/reference-page',
  'wallets/kill-server',
  'wallets/stream-memory',
  'cli/keys',
  'wallets/service-level',
  'contract/subscriptions-command',
  'contract/command',
  'fuzz/hostile-clients',
  'account/billing/months',
  'dashboard/accessible',
  'dashboard/real-server',
  'real-time/losses',
  'own-http/both-off',
  'backup/faults',
  'contract/subscriptions.contract',
];

/** Starts with the files that take longest, those that only a thorough run has among them. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const at = LONGEST.findIndex((name) => moduleId.endsWith(`/test/${name}.test.ts`));
      if (at >= 0) return at;
      return moduleId.endsWith('.long.test.ts') ? LONGEST.length : LONGEST.length + 1;
    };
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b));
  }
}
