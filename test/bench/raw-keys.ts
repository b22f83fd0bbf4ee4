import { pbkdf2Sync, randomFillSync } from 'node:crypto';
import { constants, setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import sodium from 'sodium-native';

// A thread that does nothing but what a library alone would do, for some time: the limit that nothing built on it can pass.

export type RawWork = { readonly kind: 'keypair' | 'pbkdf2'; readonly forMs: number };

if (process.platform === 'linux') setPriority(0, constants.priority.PRIORITY_BELOW_NORMAL);

const { kind, forMs }: RawWork = workerData;
const seeds = randomFillSync(new Uint8Array(32 * 256));
const [publicKey, secretKey] = [new Uint8Array(32), new Uint8Array(64)];
const words = Buffer.from(`${'zoo '.repeat(11)}wrong`);

parentPort?.once('message', () => {
  const until = performance.now() + forMs;
  let done = 0;
  while (performance.now() < until) done += kind === 'keypair' ? makeKeys() : stretchOnce();
  parentPort?.postMessage(done);
});
parentPort?.postMessage('ready');

function makeKeys(): number {
  for (let at = 0; at < seeds.length; at += 32) {
    sodium.crypto_sign_seed_keypair(publicKey, secretKey, seeds.subarray(at, at + 32));
  }
  return 256;
}

function stretchOnce(): number {
  pbkdf2Sync(words, 'mnemonic', 2048, 64, 'sha512');
  return 1;
}
