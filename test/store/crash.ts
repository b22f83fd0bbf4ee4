import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { StoreOptions } from '../../src/store/open-store.ts';

/** The account that the child inserts. */
export const CHILD_ID = '00000000-0000-4000-8000-000000000001';

const CHILD = fileURLToPath(new URL('./child.ts', import.meta.url));
const DEADLINE_MS = 60_000;

/** Opens the store in a process of its own, has it insert an account, and kills it as soon as it says that this is done. */
export async function crashAfterInsert(place: StoreOptions): Promise<void> {
  const holder = await startHolder(place);
  await holder.kill();
}

/** A process that has the store open, until it is killed. */
export async function startHolder(
  place: StoreOptions,
): Promise<{ readonly pid: number; kill(): Promise<void> }> {
  const child = fork(CHILD, [JSON.stringify(place)], { execArgv: [] });
  const exited = once(child, 'exit');
  const message = once(child, 'message', { signal: AbortSignal.timeout(DEADLINE_MS) });
  await Promise.race([
    message,
    exited.then(() => Promise.reject(new Error('the child ended before its insert'))),
  ]);
  return {
    pid: child.pid ?? 0,
    async kill() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}
