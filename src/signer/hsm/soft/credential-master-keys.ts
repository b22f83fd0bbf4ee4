import { serviceError } from '../../../base/service-error.ts';
import { secretBytes } from '../../../keys/secret-bytes.ts';
import { readSecretFile } from '../../files/read-secret-file.ts';
import { MASTER_KEY_BYTES, type MasterKey, type MasterKeys, takeMasterKey } from './master-key.ts';
import type { MasterKeyStore } from './master-keys.ts';
import { wipe } from './secret.ts';

export type CredentialFiles = {
  readonly masterKeyFile: string;
  readonly previousMasterKeyFile?: string | undefined;
};

/** 64 digits and a line end. */
const MAX_BYTES = 66;

/**
 * Opens the master keys of credential files, which the operator makes and the signer only reads. A rotation begins when the operator gives
 * a new file and names the old one as the previous, and ends when the latter is removed.
 *
 * @throws ServiceError `signerNotStarted` if a file cannot be read or holds no key.
 */
export async function openCredentialMasterKeys(files: CredentialFiles): Promise<MasterKeyStore> {
  const { masterKeyFile, previousMasterKeyFile } = files;
  const keys: MasterKeys = {
    current: await readKey('hsm.soft.master_key_file', masterKeyFile),
    previous:
      previousMasterKeyFile === undefined
        ? undefined
        : await readKey('hsm.soft.previous_master_key_file', previousMasterKeyFile),
  };
  return {
    keys: () => keys,
    begin: async () => {
      if (keys.previous !== undefined) return;
      throw serviceError('invalidCommand', {
        reason:
          'the master key is a credential file: write a new one, name it in hsm.soft.master_key_file (KEYSLOT_HSM_MASTER_KEY_FILE) and the old one in hsm.soft.previous_master_key_file (KEYSLOT_HSM_PREVIOUS_MASTER_KEY_FILE), start the server again, then rotate',
      });
    },
    finish: async () => undefined,
  };
}

async function readKey(setting: string, path: string): Promise<MasterKey> {
  const bytes = await readSecretFile(path, MAX_BYTES).catch((error: unknown) => {
    throw refuse(`${setting} ${path}: ${error instanceof Error ? error.message : String(error)}`);
  });
  if (bytes === undefined) throw refuse(`${setting} ${path}: the file does not exist`);
  const key = bytes.length === MASTER_KEY_BYTES ? bytes : fromHex(bytes);
  if (key === undefined) throw refuse(`${setting} ${path} must hold 32 bytes or 64 hexadecimal digits`);
  const master = takeMasterKey(key);
  wipe(bytes);
  return master;
}

/** Decodes without a string in between, which could not be wiped. */
function fromHex(text: Buffer): Buffer | undefined {
  const end = text.findLastIndex((byte) => byte !== 0x0a && byte !== 0x0d) + 1;
  if (end !== 2 * MASTER_KEY_BYTES) return undefined;
  const key = secretBytes(MASTER_KEY_BYTES);
  for (let index = 0; index < end; index += 1) {
    const digit = hexDigit(text[index] ?? 0);
    if (digit === undefined) return undefined;
    key[index >> 1] = ((key[index >> 1] ?? 0) << 4) | digit;
  }
  return key;
}

function hexDigit(byte: number): number | undefined {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : undefined;
}

const refuse = (reason: string): Error => serviceError('signerNotStarted', { reason });
