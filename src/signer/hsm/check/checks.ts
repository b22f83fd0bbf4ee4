import { toServiceError } from '../../../core/service-error.ts';
import { MAX_SEALED_BYTES } from '../../limits.ts';
import {
  type Hsm,
  type HsmDerivation,
  type KeyOwner,
  type MadeKey,
  isSignature,
  keyFailure,
} from '../hsm.ts';

/** A promise of every backend, as a check that can be run. */
export type HsmCheck = {
  /** The promise. */
  readonly name: string;
  /** Throws, or rejects with, the failure. */
  readonly run: (bench: CheckBench) => Promise<void>;
  /** The check concerns an ability that a backend may lack. */
  readonly needs?: 'derivation' | 'token';
};

/** The backend under test, and owners that are used nowhere else. Their keys are destroyed after the check. */
export type CheckBench = { readonly hsm: Hsm; readonly newOwner: () => KeyOwner };

const MESSAGE = Buffer.from('keyslot hsm check');
const MESSAGE_SIZES = [1, 32, 1_232, 65_536];
const SIGNATURES_AT_ONCE = 16;

/** The checks of `keyslot hsm check`, which are also the tests that every backend passes. */
export const HSM_CHECKS: readonly HsmCheck[] = [
  { name: 'it reports that keys can be used', run: ({ hsm }) => hsm.health() },
  {
    name: 'a new key has a public key of 32 bytes and fits the wallet’s row',
    run: async (bench) => {
      const { publicKey, sealed } = await newKey(bench);
      ok(publicKey.length === 32, `the public key has ${publicKey.length} bytes`);
      ok(
        sealed.length > 0 && sealed.length <= MAX_SEALED_BYTES,
        `the row would store ${sealed.length} bytes`,
      );
    },
  },
  {
    name: 'no two keys are the same',
    run: async (bench) => {
      const [first, second] = [await newKey(bench), await newKey(bench)];
      ok(!Buffer.from(first.publicKey).equals(second.publicKey), 'two keys have the same public key');
    },
  },
  {
    name: 'signatures of short and long messages verify with the public key (RFC 8032)',
    run: async ({ hsm, newOwner }) => {
      const owner = newOwner();
      const key = await hsm.createKey(owner, { isRepeat: false });
      for (const size of MESSAGE_SIZES) {
        const message = Buffer.alloc(size, size % 251);
        const signature = await hsm.sign({ ...owner, sealed: key.sealed }, message);
        ok(isSignature(key.publicKey, message, signature), `the signature of ${size} bytes does not verify`);
      }
    },
  },
  {
    name: 'the same message always has the same signature',
    run: async ({ hsm, newOwner }) => {
      const owner = newOwner();
      const { sealed } = await hsm.createKey(owner, { isRepeat: false });
      const first = await hsm.sign({ ...owner, sealed }, MESSAGE);
      ok(Buffer.from(first).equals(await hsm.sign({ ...owner, sealed }, MESSAGE)), 'two signatures differ');
    },
  },
  {
    name: 'many signatures at the same time are all correct',
    run: async ({ hsm, newOwner }) => {
      const owner = newOwner();
      const { sealed, publicKey } = await hsm.createKey(owner, { isRepeat: false });
      const messages = Array.from({ length: SIGNATURES_AT_ONCE }, (_, index) =>
        Buffer.from(`message ${index}`),
      );
      const signatures = await Promise.all(
        messages.map((message) => hsm.sign({ ...owner, sealed }, message)),
      );
      for (const [index, message] of messages.entries()) {
        ok(
          isSignature(publicKey, message, signatures[index] ?? MESSAGE),
          `signature ${index} does not verify`,
        );
      }
    },
  },
  {
    name: 'a key is refused for another wallet, and for another account',
    run: async ({ hsm, newOwner }) => {
      const owner = newOwner();
      const { sealed } = await hsm.createKey(owner, { isRepeat: false });
      await refused(hsm.sign({ ...owner, walletId: newOwner().walletId, sealed }, MESSAGE), 'another wallet');
      await refused(
        hsm.sign({ ...owner, accountId: `${owner.accountId}x`, sealed }, MESSAGE),
        'another account',
      );
    },
  },
  {
    name: 'the stored bytes are refused when any byte of them was changed, and when they are cut',
    run: async ({ hsm, newOwner }) => {
      const owner = newOwner();
      const { sealed } = await hsm.createKey(owner, { isRepeat: false });
      for (let index = 0; index < sealed.length; index += 1) {
        const changed = Buffer.from(sealed);
        changed.writeUInt8((sealed[index] ?? 0) ^ 0x01, index);
        await refused(hsm.sign({ ...owner, sealed: changed }, MESSAGE), `byte ${index} changed`);
      }
      for (const length of [0, 1, sealed.length - 1]) {
        await refused(
          hsm.sign({ ...owner, sealed: sealed.subarray(0, length) }, MESSAGE),
          `cut to ${length}`,
        );
      }
    },
  },
  {
    name: 'it still works after refusals',
    run: async ({ hsm, newOwner }) => {
      const owner = newOwner();
      const { sealed, publicKey } = await hsm.createKey(owner, { isRepeat: false });
      const refusals = Array.from({ length: SIGNATURES_AT_ONCE }, () =>
        refused(hsm.sign({ ...newOwner(), sealed }, MESSAGE), 'another wallet'),
      );
      await Promise.all(refusals);
      ok(
        isSignature(publicKey, MESSAGE, await hsm.sign({ ...owner, sealed }, MESSAGE)),
        'it does not verify',
      );
    },
  },
  {
    name: 'creating a key again after a lost answer gives a key that signs',
    run: async ({ hsm, newOwner }) => {
      const owner = newOwner();
      await hsm.createKey(owner, { isRepeat: false });
      const { sealed, publicKey } = await hsm.createKey(owner, { isRepeat: true });
      ok(
        isSignature(publicKey, MESSAGE, await hsm.sign({ ...owner, sealed }, MESSAGE)),
        'it does not verify',
      );
    },
  },
  {
    name: 'destroying a key twice is not an error',
    run: async ({ hsm, newOwner }) => {
      const owner = newOwner();
      await hsm.createKey(owner, { isRepeat: false });
      await hsm.destroyKey(owner);
      await hsm.destroyKey(owner);
    },
  },
  {
    name: 'a destroyed key is gone from the token',
    needs: 'token',
    run: async ({ hsm, newOwner }) => {
      const owner = newOwner();
      const { sealed } = await hsm.createKey(owner, { isRepeat: false });
      await hsm.sign({ ...owner, sealed }, MESSAGE);
      await hsm.destroyKey(owner);
      await refused(hsm.sign({ ...owner, sealed }, MESSAGE), 'the destroyed key');
    },
  },
  {
    name: 'the same child of a master has the same public key, others differ, and each signs',
    needs: 'derivation',
    run: async ({ hsm, newOwner }) => {
      const { createMaster, deriveKeys } = derivationOf(hsm);
      const owner = newOwner();
      const master = { ...owner, sealed: (await createMaster(owner)).sealed };
      const places = [
        [0, 0],
        [0, 1],
        [1, 0],
        [0x7fff_ffff, 0x7fff_ffff],
        [0, 0],
      ] as const;
      const children = places.map(([x, y]) => ({ owner: newOwner(), x, y }));
      const made = await deriveKeys(master, children);
      const names = made.map(({ publicKey }) => Buffer.from(publicKey).toString('hex'));
      ok(names[0] === names[4] && new Set(names).size === 4, 'the public keys are not the derived ones');
      for (const [index, { sealed, publicKey }] of made.entries()) {
        const child = children[index]?.owner ?? owner;
        ok(
          isSignature(publicKey, MESSAGE, await hsm.sign({ ...child, sealed }, MESSAGE)),
          'a child does not sign',
        );
      }
    },
  },
  {
    name: 'nothing is derived from a key that is not a master, nor from another account’s master',
    needs: 'derivation',
    run: async ({ hsm, newOwner }) => {
      const { createMaster, deriveKeys } = derivationOf(hsm);
      const owner = newOwner();
      const child = { owner: newOwner(), x: 0, y: 0 };
      const key = await hsm.createKey(owner, { isRepeat: false });
      await refused(deriveKeys({ ...owner, sealed: key.sealed }, [child]), 'a key that is not a master');
      const { sealed } = await createMaster(owner);
      await refused(
        deriveKeys({ ...owner, accountId: 'other', sealed }, [child]),
        'another account’s master',
      );
    },
  },
];

async function newKey({ hsm, newOwner }: CheckBench): Promise<MadeKey> {
  return hsm.createKey(newOwner(), { isRepeat: false });
}

function derivationOf({ derivation }: Hsm): HsmDerivation {
  if (derivation === undefined) throw broken('the backend derives no keys');
  return derivation;
}

function ok(holds: boolean, otherwise: string): void {
  if (!holds) throw broken(otherwise);
}

async function refused(call: Promise<unknown>, what: string): Promise<void> {
  const outcome = await call.then(
    () => undefined,
    (error: unknown) => toServiceError(error),
  );
  if (outcome === undefined) throw broken(`${what} was accepted`);
  if (outcome.code !== 'keyBackendFailed') throw broken(`${what} was refused with ${outcome.code}`);
}

const broken = (reason: string): Error => keyFailure(reason);
