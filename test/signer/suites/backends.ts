import { rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, test } from 'vitest';
import type { Hsm } from '../../../src/signer/hsm/hsm.ts';
import { openHsm } from '../../../src/signer/hsm/open-hsm.ts';
import { diskDirectory } from '../../support/disk-directory.ts';
import { findSoftHsm, newToken, SOFTHSM_MISSING } from '../../support/softhsm.ts';

type Backend = {
  readonly name: string;
  readonly open: (directory: string) => Promise<Hsm>;
  readonly missing?: string;
};

const softHsm = findSoftHsm();

/** Every backend, one line each. */
const BACKENDS: readonly Backend[] = [
  {
    name: 'soft',
    open: (directory) => openHsm({ kind: 'soft', soft: {} }, { directory, isFirstStart: true }),
  },
  pkcs11('pkcs11, keys in the row where the token wraps them', true),
  pkcs11('pkcs11, keys in the token', false),
];

/** Runs the same tests on every backend; what the machine lacks is skipped, with the reason. */
export function describeBackends(body: (hsm: () => Hsm) => void): void {
  for (const { name, open, missing } of BACKENDS) {
    if (missing !== undefined) {
      test(name, (context) => context.skip(missing));
      continue;
    }
    describe(name, () => {
      let directory = '';
      let opened: Hsm | undefined;
      beforeAll(async () => {
        directory = diskDirectory('keyslot-hsm-');
        opened = await open(directory);
      });
      afterAll(async () => {
        await opened?.close();
        rmSync(directory, { recursive: true, force: true });
      });
      body(() => {
        if (opened === undefined) throw new Error('the backend is not open');
        return opened;
      });
    });
  }
}

function pkcs11(name: string, wrap: boolean): Backend {
  const open = (directory: string): Promise<Hsm> => {
    const { library, label, pin } = newToken(softHsm ?? '', directory);
    const settings = { library, token: label, pin, sessions: 4, wrap };
    return openHsm({ kind: 'pkcs11', soft: {}, pkcs11: settings }, { directory, isFirstStart: true });
  };
  return softHsm === undefined ? { name, open, missing: SOFTHSM_MISSING } : { name, open };
}
