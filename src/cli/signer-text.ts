import type { AdoptionResult } from '../admin/adopt-without-server.ts';
import type { RotationResult } from '../admin/master-rotation.ts';

/** The texts of the results of requests about the signer. */
export const SIGNER_TEXTS: Readonly<Record<string, (result: never) => string>> = {
  'signer.rotate-master': describeRotation,
  'signer.adopt': describeAdoption,
};

function describeRotation({ wallets, resealed, previous_master_key_file: file }: RotationResult): string {
  const old =
    file === null
      ? 'The old master key is deleted. Destroy the backups that contain it.'
      : `Now remove hsm.soft.previous_master_key_file (${file}) from the settings of every server, restart them, and destroy the file.`;
  return `The keys of ${wallets} wallets are encrypted under the new master key, ${resealed} of them by this run.\n${old}\n`;
}

function describeAdoption(result: AdoptionResult): string {
  const {
    signer: name,
    destroyed_keys: all,
    destroyed_keys_from_store: added,
    forgotten_signers: gone,
  } = result;
  const lines = [
    `The store now accepts the signer ${name} of this data directory.`,
    `Its record has ${all} destroyed keys, ${added} of them from the store. A destroyed key that is missing from it can sign again.`,
    'It cannot use wallets whose keys are encrypted under another master key or stored in another token.',
    ...(gone.length === 0
      ? []
      : [
          `No longer accepted: ${gone.join(', ')}. A server with such a signer does not start until that signer is adopted.`,
        ]),
  ];
  return `${lines.join('\n')}\n`;
}
