import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Genesis, namedKeypair } from '../genesis/genesis.ts';

/** Writes the key files that tools look for in the directory of a test validator: 64 bytes as a JSON array. They are not secret. */
export function writeKeyFiles(directory: string, genesis: Genesis): void {
  const keys = [
    ['faucet', genesis.faucet],
    ['validator', genesis.identity],
    ['vote-account', namedKeypair('vote account')],
    ['stake-account', namedKeypair('stake account')],
  ] as const;
  for (const [name, keypair] of keys) {
    const path = join(directory, `${name}-keypair.json`);
    if (!existsSync(path)) writeFileSync(path, JSON.stringify([...keypair.secretKey]), { mode: 0o600 });
  }
}
