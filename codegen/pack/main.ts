import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { packClient } from './pack-client.ts';
import { packDebian } from './pack-debian.ts';
import { packServer } from './pack-server.ts';

/** The packages by their command-line names. */
const PACKAGES: Readonly<Record<string, (out: string) => string | Promise<string>>> = {
  client: packClient,
  keyslot: packServer,
  debian: packDebian,
};
/** Packages for npm. */
const DEFAULT = ['client', 'keyslot'];

/** Packs @keyslot/client and keyslot, or the given ones, into --out and prints the path of each package. */
const main = async (): Promise<void> => {
  const { values: options, positionals } = parseArgs({
    options: { out: { type: 'string', default: fileURLToPath(new URL('../../dist', import.meta.url)) } },
    allowPositionals: true,
  });
  const named = positionals.length > 0 ? positionals : DEFAULT;
  for (const name of named) {
    const pack = PACKAGES[name];
    if (pack === undefined)
      throw new Error(`unknown package ${name}; expected ${Object.keys(PACKAGES).join(' or ')}`);
    console.log(await pack(options.out));
  }
};

await main();
