import { resolve } from 'node:path';
import type { Config } from '../../generated/config.ts';

/** What the signer is told when it starts. A PIN is among them only where the operator gave it to the gateway. */
export type SignerSettings = {
  /** Where the signer keeps its own files. */
  readonly directory: string;
  readonly hsm: Config['hsm'];
  readonly logLevel: string;
} & SignerStart;

/** What a start of the signer may do beside opening what is there. */
export type SignerStart = {
  /** Whether it may make its files where it has none. The store may know another signer, whose files are missing then. */
  readonly mayCreate: boolean;
  /** Whether destroyed keys that were acknowledged may be missing from its record. */
  readonly acceptsLoss: boolean;
};

/** The signer's part of the configuration, and where its files are, by default in the data directory; relative paths are those of the gateway's working directory. */
export function signerSettings(
  dataDir: string,
  hsm: Config['hsm'],
  logLevel: string,
  start: SignerStart,
  directory = resolve(dataDir, 'signer'),
): SignerSettings {
  return { directory, hsm: { ...hsm, ...absolutePaths(hsm) }, logLevel, ...start };
}

/** Reads what the gateway sent. The gateway has checked it against spec/config.yaml. */
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
