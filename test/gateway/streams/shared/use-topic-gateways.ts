import { afterAll, afterEach, beforeAll } from 'vitest';
import { eventually } from '../../../../src/core/eventually.ts';
import type { Cursor } from '../../../../src/gateway/streams/cursor.ts';
import { uniquePrefix } from '../../../support/redis.ts';
import { take } from '../open-hub.ts';
import type { ScriptedLedger } from '../scripted-ledger.ts';
import {
  forget,
  openGateway,
  openOwnStore,
  type TopicGateway,
  type TopicGatewayOptions,
} from './open-gateway.ts';

export type OpenOptions = Pick<TopicGatewayOptions, 'ledger'> & Partial<TopicGatewayOptions>;

/** Gateways of the surrounding `describe`, on a store of its own. They are closed, and what they shared is removed, when a test ends. */
export function useTopicGateways() {
  let own: Awaited<ReturnType<typeof openOwnStore>>;
  const gateways: TopicGateway[] = [];
  let prefix = uniquePrefix();
  beforeAll(async () => {
    own = await openOwnStore();
  });
  const closeAll = async (): Promise<void> => {
    await Promise.all(gateways.splice(0).map(({ close }) => close()));
  };
  afterEach(async () => {
    await closeAll();
    await forget(prefix);
    prefix = uniquePrefix();
  });
  afterAll(() => own.remove());
  const open = async (options: OpenOptions): Promise<TopicGateway> => {
    const gateway = openGateway({ store: own.store, prefix, ...options });
    gateways.push(gateway);
    await eventually('Redis is there', () => gateway.isUp() || undefined, { intervalMs: 5 });
    return gateway;
  };
  /** Two gateways with a stream each, the first of which reads for both. */
  const openBoth = async (
    ledger: ScriptedLedger,
    more: Partial<TopicGatewayOptions> = {},
    ofOther: Partial<TopicGatewayOptions> = {},
  ) => {
    const [one, other] = [await open({ ledger, ...more }), await open({ ledger, ...more, ...ofOther })];
    const first = await one.hub.open(undefined);
    await becomes(one, { isReader: true });
    const second = await other.hub.open(undefined);
    return { one, other, first, second };
  };
  return { open, openBoth, closeAll, forgetShared: () => forget(prefix) };
}

/** Resolves when a gateway has this standing. */
export const becomes = (
  gateway: TopicGateway,
  standing: Partial<ReturnType<TopicGateway['shared']['standing']>>,
) =>
  eventually(
    `it is ${JSON.stringify(standing)}`,
    () =>
      Object.entries(standing).every(
        ([name, value]) => Reflect.get(gateway.shared.standing(), name) === value,
      ) || undefined,
  );

export const slotsFrom = (first: number, count: number) =>
  Array.from({ length: count }, (_, at) => first + at);

/** Takes the next blocks of each stream. */
export const takeEach = (cursors: readonly Cursor[], count: number) =>
  Promise.all(cursors.map((cursor) => take(cursor, count)));
