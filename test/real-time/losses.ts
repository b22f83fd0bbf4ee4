import { eventually } from '../../src/base/eventually.ts';
import { type RunningKeyslot, startKeyslot, startLocalnet } from '../support/keyslot.ts';
import { Crowd } from './crowd.ts';
import { type Relay, startRelay } from './relay.ts';
import { type StreamWatch, watchStreams } from './stream-watch.ts';

/** A gateway that loses its node again and again, a crowd that listens to it, and a reader of its streams who loses the gateway. */
export type Losses = {
  readonly gateway: RunningKeyslot;
  readonly crowd: Crowd;
  /** The node is lost once, every other time its whole process; resolves when slots are told again. Transactions go on. */
  readonly lose: () => Promise<void>;
  /** What is wrong with what was told until now, looked at when all of it is final. */
  readonly findFaults: () => Promise<{ readonly until: number; readonly faults: readonly string[] }>;
  /** Forgets what was told until a slot. */
  readonly forget: (until: number) => void;
  readonly stop: () => Promise<void>;
};

/** What was missed in the last loss is read again and told to all: hundreds of blocks, on a machine that may be busy. */
const SETTLE_MS = 60_000;

/** Starts a ledger with slots of `slotMs`, a node's front before it, a gateway, and a crowd. */
export async function startLosses(options: {
  readonly sockets: number;
  readonly slotMs: number;
}): Promise<Losses> {
  await using started = new AsyncDisposableStack();
  // The ledger forgets its own votes before the end of a long run, when what streams told is held against it.
  const localnet = await startLocalnet({ args: ['--slot-ms', String(options.slotMs), '--no-votes'] });
  started.defer(localnet.stop);
  const relay = await startRelay(Number(new URL(localnet.rpcUrl).port));
  started.defer(relay.stop);
  const gateway = await startKeyslot({ env: { KEYSLOT_UPSTREAM_URL: `http://127.0.0.1:${relay.port}` } });
  started.defer(gateway.stop);
  const crowd = await Crowd.open(localnet, gateway, options.sockets);
  started.defer(() => crowd.close());
  const streams = await watchStreams(localnet, gateway);
  started.defer(streams.stop);
  const running = started.move();
  return {
    ...{ gateway, crowd },
    lose: createLoser(relay, crowd, streams),
    findFaults: () => findFaults(crowd, streams),
    forget: (until) => {
      crowd.forget(until);
      streams.forget(until);
    },
    stop: () => running.disposeAsync(),
  };
}

function createLoser(relay: Relay, crowd: Crowd, streams: StreamWatch): () => Promise<void> {
  let losses = 0;
  return async () => {
    await crowd.transact();
    const before = crowd.slotsTold;
    losses += 1;
    await (losses % 2 === 0 ? relay.drop() : relay.replace());
    if (losses % 3 === 0) await streams.drop();
    await crowd.send();
    await eventually('slots are told again', () => crowd.slotsTold > before || undefined, { intervalMs: 5 });
  };
}

async function findFaults(
  crowd: Crowd,
  streams: StreamWatch,
): Promise<{ readonly until: number; readonly faults: readonly string[] }> {
  const until = await crowd.slot('processed');
  const isFinal = async () => (await crowd.slot('finalized')) > until || undefined;
  await eventually('the last slot is final', isFinal, { timeoutMs: 60_000 });
  const isTold = () => (crowd.faults(until).length === 0 && streams.hasRead(until)) || undefined;
  const patience = { timeoutMs: SETTLE_MS, intervalMs: 250 };
  await eventually('all is told', isTold, patience).catch(() => undefined);
  return { until, faults: [...crowd.faults(until), ...(await streams.faults(until))] };
}
