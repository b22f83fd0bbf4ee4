import { eventually } from '../../../src/base/eventually.ts';
import { signerPidOf, type WalletServer } from '../../wallets/open-wallet-server.ts';
import type { Target } from './backends.ts';
import type { Round } from './round.ts';

const READY_MS = 60_000;
/** One start in so many is killed too, at a moment within this time. */
const STARTS_KILLED = 8;
const START_MS = 1_500;

/** Kills one part by SIGKILL; PostgreSQL, which others use too, is made to end its connections. */
export async function kill({ server, store }: Round, target: Target): Promise<void> {
  if (target === 'server') await server.kill();
  else if (target === 'signer') process.kill(signerPidOf(server.pid()), 'SIGKILL');
  else await store.killStore();
}

/** Waits until everything is there again, and starts the server where it is gone. @returns how often it was killed while it started. */
export async function awaitRecovery(round: Round, target: Target, pidBefore: number): Promise<number> {
  const { server, random, fault } = round;
  if (target !== 'server') {
    await ready(server);
    if (server.pid() !== pidBefore) fault(`a kill of the ${target} ended the server`);
    return 0;
  }
  const isKilledAgain = random(STARTS_KILLED) === 0;
  if (isKilledAgain) await killStart(server, random(START_MS));
  await server.start();
  await ready(server);
  return isKilledAgain ? 1 : 0;
}

async function killStart(server: WalletServer, afterMs: number): Promise<void> {
  const starting = server.start().catch(() => undefined);
  await new Promise((resolve) => setTimeout(resolve, afterMs));
  await server.kill();
  await starting;
}

/** Its store and its signer; ledger nodes it has none. */
async function ready(server: WalletServer): Promise<void> {
  await eventually(
    'store and signer are ready',
    async () => {
      const answer = await fetch(`${server.baseUrl()}/readyz`);
      const { store, signer } = (await answer.json()) as Readonly<Record<string, { readonly state: string }>>;
      return store?.state === 'ready' && signer?.state === 'ready' ? true : undefined;
    },
    { timeoutMs: READY_MS },
  );
}
