import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The files that take more than half a minute: started last, one of them would be waited for alone. */
const LONGEST = [
  'account-api/live/contract',
  'additions/one-of-each.long',
  'wallets/kill-client-streams',
  'webhooks/killed-while-delivering.long',
  'wallets/kill-server',
  'pack/packed-keyslot.long',
  'cli/keys',
  'cli',
  'wallets/rotate-under-streams',
  'wallets/stream-memory',
  'attack/the-gateways-user-reaches-no-key.long',
  'dashboard/every-page.long',
  'account/billing/killed-while-closing.long',
  'gateways/rolling-restart.long',
  'contract/account-command.long',
  'contract/subscriptions-command',
  'wallets/kill-signer',
  'browser/reference-page',
  'account/members/guessing',
  'contract/command',
  'backup/faults',
  'ledger/own-reads/sessions.long',
  'ledger/own-reads/histories.long',
  'store/maintenance',
];

/** Starts with the files that take longest. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const at = LONGEST.findIndex((name) => moduleId.endsWith(`/test/${name}.test.ts`));
      return at < 0 ? LONGEST.length : at;
    };
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b));
  }
}
