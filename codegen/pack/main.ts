import { parseArgs } from 'node:util';
import { fileURLToPath } from 'node:url';
import { packClient } from './pack-client.ts';

/** Packs @keyslot/client of generated/ into --out and prints the path of the tarball. */
const main = (): void => {
  const { values: options } = parseArgs({
    options: { out: { type: 'string', default: fileURLToPath(new URL('../../dist', import.meta.url)) } },
  });
  console.log(packClient(options.out));
};

main();
