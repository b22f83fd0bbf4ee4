import { resolve } from 'node:path';
import type { Config } from '../../generated/config.ts';

/** The signer's settings at start. They include a PIN only if the operator gave it to the gateway. */
export type SignerSettings = {
  /** The directory of the signer's own files. */
  readonly directory: string;
  readonly hsm: Config['hsm'];
  readonly logLevel: string;
} & SignerStart;

/** The rights of a start, beyond opening existing files. */
export type SignerStart = {
  /** True: missing files may be created. Otherwise the store may know another signer, whose files are missing. */
  readonly mayCreate: boolean;
  /** True: acknowledged destroyed keys may be missing from its record. */
  readonly acceptsLoss: boolean;
};

/**
 * Returns the signer's part of the configuration, and the directory of its files, by default in the data directory; relative paths are
 * those of the gateway's working directory.
 */
export function signerSettings(
  dataDir: string,
  hsm: Config['hsm'],
  logLevel: string,
  start: SignerStart,
  directory = resolve(dataDir, 'signer'),
): SignerSettings {
  return { directory, hsm: { ...hsm, ...absolutePaths(hsm) }, logLevel, ...start };
}

/** True if the master key is a file of the signer's own; false for a credential file, and for keys in a token. */
export function hasOwnMasterKey({ kind, soft }: Config['hsm']): boolean {
  return kind === 'soft' && soft.master_key_file === undefined;
}

/** Parses the settings from the gateway, which has checked them against spec/config.yaml. */
export function parseSettings(text: string): SignerSettings {
  return JSON.parse(text) as SignerSettings;
}

function absolutePaths({ soft, pkcs11 }: Config['hsm']): Pick<Config['hsm'], 'soft' | 'pkcs11'> {
  const { master_key_file: current, previous_master_key_file: previous } = soft;
  return {
    soft: {
      ...(current !== undefined && { master_key_file: resolve(current) }),
      ...(previous !== undefined && { previous_master_key_file: resolve(previous) }),
    },
    ...(pkcs11 !== undefined && {
      pkcs11: {
        ...pkcs11,
        ...(pkcs11.library.includes('/') && { library: resolve(pkcs11.library) }),
        ...(pkcs11.pin_file !== undefined && { pin_file: resolve(pkcs11.pin_file) }),
      },
    }),
  };
}
