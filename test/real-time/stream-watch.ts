import { createStreamClient } from '../../generated/stream/package.ts';
import { call, type RpcTarget } from '../../src/devkit/contract/json-rpc.ts';
import { eventually } from '../../src/core/eventually.ts';
import type { RunningKeyslot } from '../support/keyslot.ts';
import { startCutProxy } from '../lab/faults/cut-proxy.ts';

/** For what hangs. The time of the gateway, the ledger and this process on a busy machine is not tested here. */
export const PATIENCE_MS = 300_000;

const FUNDED = '4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T';

type Seen = { readonly slot: number; readonly name: string };

/** A reader of topic streams whose connection can be lost; what it has read is held against the ledger. */
export type StreamWatch = {
  /** Breaks the connection off: the client continues by itself. */
  readonly drop: () => void;
  /** The faults of a stream until a slot: a hole, a repetition, another order, or something that is not on the ledger. */
  readonly faults: (until: number) => Promise<readonly string[]>;
  /** True if both streams have something of this slot, which has a transaction, or of a later one. */
  readonly hasRead: (until: number) => boolean;
  readonly forget: (until: number) => void;
  readonly stop: () => Promise<void>;
};

/** Reads slots and transactions; resolves when both streams are open, which a client does not wait for at first. */
export async function watchStreams(ledger: RpcTarget, gateway: RunningKeyslot): Promise<StreamWatch> {
  const proxy = await startCutProxy(Number(new URL(gateway.grpcUrl).port));
  const { apiKey } = gateway;
  const client = createStreamClient({ url: `http://127.0.0.1:${proxy.port}`, apiKey, maxPauseMs: 200 });
  const seen = { slots: [] as Seen[], transactions: [] as Seen[] };
  const broken: string[] = [];
  const stopped = new AbortController();
  const read = async <M extends { readonly slot: bigint }>(
    messages: AsyncIterable<M>,
    into: Seen[],
    nameOf: (message: M) => string,
  ): Promise<void> => {
    try {
      for await (const message of messages) into.push({ slot: Number(message.slot), name: nameOf(message) });
    } catch (error) {
      if (!stopped.signal.aborted) broken.push(String(error));
    }
  };
  const { signal } = stopped;
  const reading = [
    read(client.subscribe('slots', { signal }), seen.slots, ({ blockhash }) => blockhash),
    read(client.subscribe('transactions', { signal }), seen.transactions, ({ signature }) => signature),
  ];
  const areOpen = async (): Promise<true | undefined> => {
    if (seen.slots[0] && seen.transactions[0]) return true;
    await call(ledger, 'requestAirdrop', [FUNDED, 1_000_000]);
    return undefined;
  };
  await eventually('both streams tell', areOpen, { timeoutMs: PATIENCE_MS });
  let first = 0;
  return {
    drop: () => proxy.cut('reset'),
    hasRead: (slot) => Object.values(seen).every((all) => (all.at(-1)?.slot ?? 0) >= slot),
    faults: async (until) => {
      first ||= Math.max(seen.slots[0]?.slot ?? 0, seen.transactions[0]?.slot ?? 0);
      const blocks = await readBlocks(ledger, first, until);
      return [
        ...broken,
        ...difference('slots', inside(seen.slots, first, until), blocks.slots),
        ...difference('transactions', inside(seen.transactions, first, until), blocks.transactions),
      ];
    },
    forget: (until) => {
      first = until + 1;
      for (const all of Object.values(seen))
        all.splice(0, all.findLastIndex(({ slot }) => slot <= until) + 1);
    },
    stop: async () => {
      stopped.abort();
      client.close();
      await Promise.all(reading);
      await proxy.close();
    },
  };
}

type Block = { readonly blockhash: string; readonly signatures: readonly string[] };

async function readBlocks(ledger: RpcTarget, from: number, until: number) {
  const slots = (await call(ledger, 'getBlocks', [from, until])) as readonly number[];
  const all = { slots: [] as Seen[], transactions: [] as Seen[] };
  for (const slot of slots) {
    const config = { transactionDetails: 'signatures', rewards: false, maxSupportedTransactionVersion: 0 };
    const { blockhash, signatures } = (await call(ledger, 'getBlock', [slot, config])) as Block;
    all.slots.push({ slot, name: blockhash });
    all.transactions.push(...signatures.map((name) => ({ slot, name })));
  }
  return all;
}

function inside(seen: readonly Seen[], from: number, until: number): readonly Seen[] {
  return seen.filter(({ slot }) => slot >= from && slot <= until);
}

/** Where two lists first differ. */
function difference(topic: string, own: readonly Seen[], real: readonly Seen[]): readonly string[] {
  const at = real.findIndex(({ slot, name }, index) => own[index]?.slot !== slot || own[index].name !== name);
  if (at < 0 && own.length === real.length) return [];
  const place = at < 0 ? real.length : at;
  return [`${topic}: read ${JSON.stringify(own[place])} instead of ${JSON.stringify(real[place])}`];
}
