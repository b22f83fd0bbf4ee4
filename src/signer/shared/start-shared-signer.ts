import type { SupervisedChild } from '../../base/supervised-child.ts';
import { startSignerProcess } from '../client/signer-process.ts';
import { signerSettings } from '../settings.ts';
import type { SignerOptions } from '../signer.ts';
import type { Hello } from '../wire/hello.ts';
import { SignerRelay } from './signer-relay.ts';

/** A signer that several processes use. */
export type SharedSigner = {
  readonly relay: Pick<SignerRelay, 'add'>;
  readonly child: SupervisedChild<Hello>;
  /** Stops the signer. Workers are refused. */
  readonly close: () => Promise<void>;
};

/**
 * Starts the signer as a supervised child of this process, for others to use, and resolves when it serves.
 *
 * @throws ServiceError `signerNotStarted` with the reason.
 */
export async function startSharedSigner(options: SignerOptions): Promise<SharedSigner> {
  const { dataDir, config, log, start = {}, launcher } = options;
  const relay = new SignerRelay({
    nowMs: () => performance.now(),
    onStuck: () => {
      log.error('the signer does not respond; killing it');
      child.kill();
    },
  });
  const begin = { mayCreate: true, acceptsLoss: false, ...start };
  const settings = signerSettings(dataDir, config.hsm, log.level, begin, launcher?.directory);
  const onHello = (hello: Hello): void => relay.greet(hello);
  const { child, started } = startSignerProcess({ settings, queue: relay, log, launcher, onHello });
  await started;
  return {
    ...{ relay, child },
    close: async () => {
      relay.close();
      await child.stop();
    },
  };
}
