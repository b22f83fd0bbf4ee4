import type { Hsm, KeyOwner } from '../hsm.ts';

/** The speed of a backend, per second. */
export type HsmSpeed = { readonly keys: number; readonly signatures: number };

const MEASURED_MS = 500;
/** Enough to show that a backend is fast. */
const MAX_KEYS = 2_000;

/** Makes keys, then signatures, for half a second each with all sessions of the backend, and destroys the keys. */
export async function measureHsm(hsm: Hsm, newOwner: () => KeyOwner): Promise<HsmSpeed> {
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

/** Repeats an operation until the time is over, or it returns that it was the last one. */
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
