import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The files that take more than half a minute: started last, one of them would be waited for alone. */
const LONGEST = [
  'cli/keys',
  'browser/reference-page',
  'cli',
  'wallets/kill-server',
  'contract/command',
  'wallets/stream-memory',
  'store/maintenance',
  'contract/subscriptions-command',
  'wallets/kill-signer',
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
