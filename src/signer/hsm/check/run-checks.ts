import { randomUUID } from 'node:crypto';
import { toServiceError } from '../../../core/service-error.ts';
import type { Hsm, KeyOwner } from '../hsm.ts';
import { HSM_CHECKS, type HsmCheck } from './checks.ts';

export type CheckOutcome = {
  readonly name: string;
  readonly outcome: 'held' | 'broken' | 'not supported';
  /** The reason of the failure. */
  readonly reason?: string;
};

export type HsmReport = {
  readonly kind: string;
  readonly protection: string;
  readonly keys_in: 'row' | 'token';
  readonly derives: boolean;
  readonly checks: readonly CheckOutcome[];
  /** Measured with all sessions. */
  readonly speed: HsmSpeed;
};

/** Runs every check against a backend, destroys the keys made for it, and measures the backend's speed. */
export async function checkHsm(hsm: Hsm): Promise<HsmReport> {
  const { kind, protection, keysIn } = hsm.traits;
  const checks: CheckOutcome[] = [];
  for (const check of HSM_CHECKS) checks.push(await runCheck(hsm, check));
  const speed = await measureHsm(hsm, newOwner);
  return { kind, protection, keys_in: keysIn, derives: hsm.derivation !== undefined, checks, speed };
}

/** Runs one check. None of its keys stays in the token. */
export async function runCheck(hsm: Hsm, { name, needs, run }: HsmCheck): Promise<CheckOutcome> {
  if (needs !== undefined && !isAble(hsm, needs)) return { name, outcome: 'not supported' };
  const owners: KeyOwner[] = [];
  const remember = (): KeyOwner => {
    const owner = newOwner();
    owners.push(owner);
    return owner;
  };
  try {
    await run({ hsm, newOwner: remember });
    return { name, outcome: 'held' };
  } catch (error) {
    return { name, outcome: 'broken', reason: reasonOf(error) };
  } finally {
    for (const owner of owners) await hsm.destroyKey(owner).catch(() => undefined);
  }
}

function isAble({ traits, derivation }: Hsm, needs: NonNullable<HsmCheck['needs']>): boolean {
  switch (needs) {
    case 'token':
      return traits.keysIn === 'token';
    case 'derivation':
      return derivation !== undefined;
  }
}

const newOwner = (): KeyOwner => ({ walletId: `check:${randomUUID()}`, accountId: 'keyslot:check' });

function reasonOf(error: unknown): string {
  const { cause, message } = toServiceError(error);
  return cause instanceof Error
    ? [cause, cause.cause]
        .filter((part) => part instanceof Error)
        .map((part) => part.message)
        .join(': ')
    : message;
}

/** The speed of a backend, per second. */
type HsmSpeed = { readonly keys: number; readonly signatures: number };

const MEASURED_MS = 500;
/** Enough to show that a backend is fast. */
const MAX_KEYS = 2_000;

/** Creates keys, then signatures, for half a second each with all sessions of the backend, and destroys the keys. */
async function measureHsm(hsm: Hsm, newOwner: () => KeyOwner): Promise<HsmSpeed> {
  const owners: KeyOwner[] = [];
  try {
    const keys = await countPerSecond(hsm.traits.concurrency, async () => {
      const owner = newOwner();
      owners.push(owner);
      await hsm.createKey(owner, { isRepeat: false });
      return owners.length < MAX_KEYS;
    });
    const signer = newOwner();
    owners.push(signer);
    const { sealed } = await hsm.createKey(signer, { isRepeat: false });
    const signatures = await countPerSecond(hsm.traits.concurrency, async () => {
      await hsm.sign({ ...signer, sealed }, Buffer.from('keyslot hsm check'));
      return true;
    });
    return { keys, signatures };
  } finally {
    for (const owner of owners) await hsm.destroyKey(owner);
  }
}

/** Repeats an operation until the time is over, or until it reports that it was the last one. */
async function countPerSecond(concurrency: number, once: () => Promise<boolean>): Promise<number> {
  const startMs = performance.now();
  let count = 0;
  let goesOn = true;
  const work = async (): Promise<void> => {
    while (goesOn && performance.now() - startMs < MEASURED_MS) {
      goesOn = (await once()) && goesOn;
      count += 1;
    }
  };
  await Promise.all(Array.from({ length: concurrency }, work));
  return Math.round((count * 1_000) / (performance.now() - startMs));
}
