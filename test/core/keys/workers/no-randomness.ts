import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';

// A key thread on a machine without randomness.
crypto.randomFillSync = () => {
  throw new Error('no entropy');
};
syncBuiltinESMExports();
const { default: work } = await import('../../../../src/core/keys/worker.ts');
export default work;
