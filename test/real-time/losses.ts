import { eventually } from '../../src/core/eventually.ts';
import { type RunningKeyslot, startKeyslot, startLocalnet } from '../support/keyslot.ts';
import { Crowd } from './crowd.ts';
import { type CutProxy, startCutProxy } from '../lab/faults/cut-proxy.ts';
import { PATIENCE_MS, type StreamWatch, watchStreams } from './stream-watch.ts';

/** A gateway that loses its node again and again, a crowd that listens to it, and a reader of its streams who loses the gateway. */
export type Losses = {
  readonly gateway: RunningKeyslot;
  readonly crowd: Crowd;
  /** The node is lost once, every other time so that connections are refused, too; resolves when a later slot has arrived. Transactions continue. */
  readonly lose: () => Promise<void>;
  /** The faults in the notifications until now, compared once everybody has received a later one. */
  readonly findFaults: () => Promise<{ readonly until: number; readonly faults: readonly string[] }>;
  /** Forgets the notifications until a slot. */
  readonly forget: (until: number) => void;
  readonly stop: () => Promise<void>;
};

/** Starts a ledger with slots of `slotMs`, a proxy before it, a gateway, and a crowd. */
export async function startLosses(options: {
  readonly sockets: number;
  readonly slotMs: number;
}): Promise<Losses> {
  await using started = new AsyncDisposableStack();
  // The ledger forgets its own votes before the end of a long run, when what streams told is held against it.
  const localnet = await startLocalnet({ args: ['--slot-ms', String(options.slotMs), '--no-votes'] });
  started.defer(localnet.stop);
  const proxy = await startCutProxy(Number(new URL(localnet.rpcUrl).port));
  started.defer(proxy.close);
  const gateway = await startKeyslot({ env: { KEYSLOT_UPSTREAM_URL: `http://127.0.0.1:${proxy.port}` } });
  started.defer(gateway.stop);
  const crowd = await Crowd.open(localnet, gateway, options.sockets);
  started.defer(() => crowd.close());
  const streams = await watchStreams(localnet, gateway);
  started.defer(streams.stop);
  const running = started.move();
  return {
    gateway,
    crowd,
    lose: createLoser(proxy, crowd, streams),
    findFaults: () => findFaults(crowd, streams),
    forget: (until) => {
      crowd.forget(until);
      streams.forget(until);
    },
    stop: () => running.disposeAsync(),
  };
}

function createLoser(node: CutProxy, crowd: Crowd, streams: StreamWatch): () => Promise<void> {
  let losses = 0;
  return async () => {
    await crowd.transact();
    losses += 1;
    if (losses % 2 === 0) node.cut('reset');
    else await node.restart();
    if (losses % 3 === 0) streams.drop();
    await crowd.send();
    const slot = await crowd.slot('processed');
    const patience = { timeoutMs: PATIENCE_MS, intervalMs: 5 };
    await eventually('slots are told again', () => crowd.newestSlot > slot || undefined, patience);
  };
}

async function findFaults(
  crowd: Crowd,
  streams: StreamWatch,
): Promise<{ readonly until: number; readonly faults: readonly string[] }> {
  const until = await crowd.slot('processed');
  const patience = { timeoutMs: PATIENCE_MS };
  const isOver = async () => (await crowd.slot('processed')) > until || undefined;
  await eventually('the slot is over', isOver, patience);
  const markSlot = await crowd.mark();
  const untold = () => [...crowd.unmarked(), ...crowd.unsettled(until)];
  const isTold = () => (untold().length === 0 && streams.hasRead(markSlot)) || undefined;
  await eventually('all is told', isTold, { ...patience, intervalMs: 250 }).catch(() => undefined);
  return { until, faults: [...untold(), ...crowd.faults(until), ...(await streams.faults(until))] };
}
