import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { hasOwnMasterKey } from '../../../signer/settings.ts';
import type { Check, Finding, Installation } from '../finding.ts';

/** Checks the signer: that of the running server, or its files; and the settings of its key backend. */
export const checkSigner: Check = async (installation) => [
  await ofServer(installation),
  ...(await backend(installation)),
];

async function ofServer({ config: { data_dir: dataDir, hsm }, status }: Installation): Promise<Finding> {
  const part = 'signer';
  if (status !== undefined) {
    const { state, backend } = status.signer;
    if (state === 'ready') return { part, state: 'ok', detail: `ready, keys in ${backend}` };
    return {
      part,
      state: 'wrong',
      detail: `it is ${state}`,
      remedy:
        'see the log of the server for the reason, and docs/security.md, "Another signer", for what to restore',
    };
  }
  const directory = join(dataDir, 'signer');
  const found = await find(join(directory, 'audit.key'));
  if (found === 'there') {
    for (const name of hasOwnMasterKey(hsm) ? ['tombstones', 'master.key'] : ['tombstones'])
      if ((await find(join(directory, name))) === 'ENOENT')
        return {
          part,
          state: 'wrong',
          detail: `${join(directory, name)} is missing`,
          remedy: 'restore the whole directory of the signer from its newest backup',
        };
    return { part, state: 'skipped', detail: 'its files exist, but no server is running on them' };
  }
  if (found === 'EACCES')
    return {
      part,
      state: 'skipped',
      detail: 'its files belong to another user, and no server is running on them',
    };
  return {
    part,
    state: 'warning',
    detail: `${directory} has no signer`,
    remedy:
      'the first start creates one; if there are managed wallets, restore the directory from its newest backup',
  };
}

function find(path: string): Promise<string | undefined> {
  return stat(path).then(
    () => 'there',
    (error: NodeJS.ErrnoException) => error.code,
  );
}

async function backend({ config: { hsm, signer_user: user } }: Installation): Promise<readonly Finding[]> {
  const part = 'hsm';
  if (hsm.kind === 'soft') {
    const { master_key_file: file } = hsm.soft;
    if (file === undefined)
      return [{ part, state: 'ok', detail: 'soft, with its master key in the directory of the signer' }];
    return [await readable(file, `soft, with its master key in ${file}`, user)];
  }
  const { library, pin_file: pin } = hsm.pkcs11 ?? {};
  const files = [library?.includes('/') === true ? library : undefined, pin].filter(
    (path) => path !== undefined,
  );
  const findings: Finding[] = [];
  for (const file of files) findings.push(await readable(file, `pkcs11, with ${file}`, user));
  if (findings.every(({ state }) => state !== 'wrong'))
    findings.push({ part, state: 'skipped', detail: 'run keyslot hsm check to try the HSM token' });
  return findings;
}

async function readable(file: string, detail: string, user: string | undefined): Promise<Finding> {
  const part = 'hsm';
  try {
    await access(file, constants.R_OK);
    return { part, state: 'ok', detail };
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    if (code === 'EACCES' && user !== undefined)
      return { part, state: 'skipped', detail: `${detail}, which only ${user} can read` };
    return {
      part,
      state: 'wrong',
      detail: message,
      remedy: 'restore the file, or name the right one; the user of the signer must be able to read it',
    };
  }
}
