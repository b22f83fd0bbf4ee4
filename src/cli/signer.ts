import type { AdoptionResult } from '../admin/adopt-without-server.ts';
import type { RotationResult } from '../admin/master-rotation.ts';
import { askServer } from './ask-server.ts';
import type { SignerCommand } from './signer-options.ts';
import type { Terminal } from './terminal.ts';

/**
 * `keyslot signer rotate-master`: by the running server of the data directory, which goes on serving; where none runs, with a signer
 * of its own on the store. `keyslot signer adopt`: only where none runs.
 *
 * @throws ServiceError what keeps it from being done, or from being finished.
 */
export async function signer({ action, options }: SignerCommand, terminal: Terminal): Promise<void> {
  const request = { kind: `signer.${action}` };
  const describe = (result: unknown): string =>
    action === 'adopt'
      ? describeAdoption(result as AdoptionResult)
      : describeRotation(result as RotationResult);
  await askServer(options, terminal, { request, describe, work: 'signer' });
}

function describeRotation({ wallets, resealed, previous_master_key_file: file }: RotationResult): string {
  const old =
    file === null
      ? 'The old one is forgotten: destroy the backups that have it.'
      : `Now take hsm.soft.previous_master_key_file (${file}) out of the settings of every server, start them again, and destroy the file.`;
  return `The keys of ${wallets} wallets are sealed under the new master key, ${resealed} of them by this run.\n${old}\n`;
}

function describeAdoption(result: AdoptionResult): string {
  const {
    signer: name,
    destroyed_keys: all,
    destroyed_keys_from_store: added,
    forgotten_signers: gone,
  } = result;
  const lines = [
    `The store takes the signer ${name} from now on, as it is in this data directory.`,
    `Its record has ${all} destroyed keys, ${added} of them from the store. A key that was destroyed and is not among them can sign again.`,
    'Wallets whose keys were sealed under another master key, or are in another token, do not open with it.',
    ...(gone.length === 0
      ? []
      : [`Not taken any more: ${gone.join(', ')}. Its server does not start until it is adopted too.`]),
  ];
  return `${lines.join('\n')}\n`;
}
