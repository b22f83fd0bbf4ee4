import type { Check } from '../finding.ts';

/** The lines of Node that the suites of the package run on (test/pack). */
const TESTED: readonly number[] = [22, 24];

/** Checks that Keyslot runs on a line of Node that it was tested with. */
export const checkNodeVersion: Check = async () => {
  const { node } = process.versions;
  if (TESTED.includes(Number.parseInt(node, 10)))
    return { part: 'node', state: 'ok', detail: `Node ${node}` };
  return {
    part: 'node',
    state: 'warning',
    detail: `Node ${node}, but Keyslot was tested with ${TESTED.join(' and ')}`,
    remedy: `start it with Node ${TESTED.join(' or ')}`,
  };
};
