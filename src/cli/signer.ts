import type { RotationResult } from '../admin/master-rotation.ts';
import { askServer } from './ask-server.ts';
import type { SignerCommand } from './signer-options.ts';
import type { Terminal } from './terminal.ts';

/**
 * `keyslot signer rotate-master`: by the running server of the data directory, which goes on serving; where none runs, with a signer
 * of its own on the store.
 *
 * @throws ServiceError what keeps it from being done, or from being finished.
 */
export async function signer({ action, options }: SignerCommand, terminal: Terminal): Promise<void> {
  const request = { kind: `signer.${action}` };
  await askServer(options, terminal, { request, describe: (result) => describe(result as RotationResult) });
}

function describe({ wallets, resealed, previous_master_key_file: file }: RotationResult): string {
  const old =
    file === null
      ? 'The old one is forgotten: destroy the backups that have it.'
      : `Now take hsm.soft.previous_master_key_file (${file}) out of the settings of every server, start them again, and destroy the file.`;
  return `The keys of ${wallets} wallets are sealed under the new master key, ${resealed} of them by this run.\n${old}\n`;
}
