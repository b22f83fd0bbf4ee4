import { readFileSync } from 'node:fs';
import type { Check } from '../finding.ts';

/** Checks that Keyslot runs on the Node that it was tested with. */
export const checkNodeVersion: Check = async () => {
  const wanted = readWanted();
  const { node } = process.versions;
  if (node === wanted) return { part: 'node', state: 'ok', detail: `Node ${node}` };
  return {
    ...{ part: 'node', state: 'warning', detail: `Node ${node}, and Keyslot was tested with ${wanted}` },
    remedy:
      'start it by the Node that is installed with it: node_modules/.bin/keyslot, or ./keyslot in a checkout',
  };
};

function readWanted(): string {
  const { dependencies } = JSON.parse(
    readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'),
  ) as {
    readonly dependencies: Readonly<Record<string, string>>;
  };
  return dependencies.node ?? 'none';
}
