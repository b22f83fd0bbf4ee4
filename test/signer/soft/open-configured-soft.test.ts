import { expect, test } from 'vitest';
import { loadEngineOf } from '../../../src/core/keys/load-engine.ts';
import { openConfiguredSoft } from '../../../src/signer/hsm/soft/open-configured-soft.ts';
import { useNewDirectory } from '../../support/new-directory.ts';

const directory = useNewDirectory();

test('an engine that fails a known-answer test keeps the signer from starting, with the reason', async () => {
  const sound = await loadEngineOf('native');
  const faulty = { ...sound, publicKey: () => new Uint8Array(32) };
  const opening = openConfiguredSoft({}, { directory: directory(), isFirstStart: true }, async () => faulty);
  await expect(opening).rejects.toMatchObject({
    code: 'signerNotStarted',
    message: expect.stringContaining('known-answer test failed: an Ed25519 public key'),
  });
});
