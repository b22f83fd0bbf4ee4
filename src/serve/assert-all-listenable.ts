import type { Config } from '../../generated/config.ts';
import { assertListenable } from '../server/connections/listener.ts';
import {
  grpcListenOptions,
  listenOptions,
  metricsListenOptions,
  socketListenOptions,
} from './listen-options.ts';

/** Fails if an address of the server cannot be listened on, before anything is started. @throws ServiceError `portTaken`, `listenFailed`. */
export async function assertAllListenable(config: Config): Promise<void> {
  for (const optionsOf of [listenOptions, socketListenOptions, grpcListenOptions, metricsListenOptions]) {
    const listening = optionsOf(config);
    if (listening !== undefined) await assertListenable(listening);
  }
}
