import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { StoreOptions } from '../../../src/store/open-store.ts';

/** The account that the process acts for. */
export const HOLDER_ID = '00000000-0000-4000-8000-000000000002';
/** The amount that it pays in (micro-USD), and the wallets that it reserves and charges for. */
export const HELD = { paid: 10_000n, units: 8, delivered: 3 } as const;
/** The number of wallets that it reserves money for and that are delivered before they are charged, under the key of the same name. */
export const STREAMED = { units: 2, key: 'streamed' } as const;

const HOLDER = fileURLToPath(new URL('./holder.ts', import.meta.url));
const DEADLINE_MS = 180_000;

/** A process that has money set aside for work, until it is killed. */
export async function startHolder(place: StoreOptions): Promise<{ kill(): Promise<void> }> {
  const child = fork(HOLDER, [JSON.stringify(place)], { execArgv: [] });
  const exited = once(child, 'exit');
  const message = once(child, 'message', { signal: AbortSignal.timeout(DEADLINE_MS) });
  await Promise.race([message, exited.then(() => Promise.reject(new Error('it ended before it held')))]);
  return {
    async kill() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}
