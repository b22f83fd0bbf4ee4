import { base58 } from '@scure/base';
import { mnemonicToEntropy } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { COIN_TYPE, type DerivationIndexes, PURPOSE } from '../../src/core/keys/derivation-path.ts';
import { mnemonicSeedNow, passphraseSalt } from '../../src/core/keys/mnemonic.ts';
import { createNativeEngine } from '../../src/core/keys/native-engine.ts';
import { deriveChild, masterNode } from '../../src/core/keys/slip10.ts';
import { formsOf } from '../signer/fixture/scan-memory.ts';

const engine = createNativeEngine();

/** All bytes that a wallet's key can be made from, by name; of a node its key and its chain code. */
export type Secrets = Readonly<Record<string, Uint8Array>>;

/** Of a mnemonic, its seed, and every node on the ways to its children. */
export function secretsOfMnemonic(
  mnemonic: string,
  passphrase: string,
  children: readonly DerivationIndexes[],
): Secrets {
  const seed = mnemonicSeedNow(Buffer.from(mnemonic), passphraseSalt(passphrase));
  const master = masterNode(engine, seed);
  return {
    entropy: mnemonicToEntropy(mnemonic, wordlist),
    'first half of the seed': seed.subarray(0, 32),
    'second half of the seed': seed.subarray(32),
    ...secretsOfMaster(master, children),
  };
}

/** Of a master node, and every node on the ways to its children. */
export function secretsOfMaster(master: Uint8Array, children: readonly DerivationIndexes[]): Secrets {
  const purpose = deriveChild(engine, master, PURPOSE);
  const coin = deriveChild(engine, purpose, COIN_TYPE);
  const nodes = { m: master, purpose, coin };
  const below = children.flatMap(({ x, y }) => {
    const account = deriveChild(engine, coin, x);
    return [
      [`account ${x}`, account],
      [`${x}/${y}`, deriveChild(engine, account, y)],
    ] as const;
  });
  return Object.fromEntries(
    [...Object.entries(nodes), ...below].flatMap(([name, node]) => [
      [`key of ${name}`, node.subarray(0, 32)],
      [`chain code of ${name}`, node.subarray(32)],
    ]),
  );
}

/** Of a secret key as a client gets it. */
export function secretsOfKey(secretKey: string): Secrets {
  return { seed: base58.decode(secretKey).subarray(0, 32) };
}

/** A secret in pieces: half of one is no less a secret. */
export function inHalves(secrets: Secrets): Secrets {
  return Object.fromEntries(
    Object.entries(secrets).flatMap(([name, secret]) => [
      [`${name}, first half`, secret.subarray(0, 16)],
      [`${name}, second half`, secret.subarray(16, 32)],
    ]),
  );
}

/** Every form of every secret, by both their names. */
export function patternsOf(secrets: Secrets): Readonly<Record<string, Buffer>> {
  return Object.fromEntries(
    Object.entries(secrets).flatMap(([name, secret]) =>
      Object.entries(formsOf(secret)).map(([form, bytes]) => [`${name}, ${form}`, bytes]),
    ),
  );
}

/** A text as UTF-8 and, as V8 may keep it, as UTF-16. */
export function patternsOfText(name: string, text: string): Readonly<Record<string, Buffer>> {
  return { [name]: Buffer.from(text), [`${name}, two bytes each`]: Buffer.from(text, 'utf16le') };
}
