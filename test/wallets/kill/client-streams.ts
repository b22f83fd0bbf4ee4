import { randomUUID } from 'node:crypto';
import type { Sending, WalletServer } from '../open-wallet-server.ts';

/** A wallet of client custody, as a line of a stream has it. */
export type DeliveredWallet = {
  readonly address: string;
  readonly secret_key: string;
  readonly mnemonic?: string;
};

/** A stream of client custody, and what came of it. */
export type ClientStream = {
  readonly path: '/batch' | '/hd';
  readonly body: Readonly<Record<string, unknown>>;
  readonly key: string;
  /** Wallets that are asked for, and the price of one in micro-USD. */
  readonly count: number;
  readonly price: bigint;
  /** Lines that are free: the master. */
  readonly free: number;
  readonly delivered: DeliveredWallet[];
  isWhole: boolean;
  /** The refusal of the first answer, if it was refused. */
  refusal: string | undefined;
};

export const newClientBatch = (count: number): ClientStream => ({
  path: '/batch',
  body: { count },
  key: randomUUID(),
  count,
  price: 1_000n,
  free: 0,
  delivered: [],
  isWhole: false,
  refusal: undefined,
});

export const newClientTree = (count: number): ClientStream => ({
  path: '/hd',
  body: { mnemonic_words: 12, format: 'jsonl', accounts: { start: 0, count } },
  key: randomUUID(),
  count,
  price: 500n,
  free: 1,
  delivered: [],
  isWhole: false,
  refusal: undefined,
});

/** Sends a stream's request and takes in the wallets whose lines come whole; ends with the connection. */
export async function runClientStream(
  server: WalletServer,
  stream: ClientStream,
  { onLine = () => undefined, ...how }: Sending & { readonly onLine?: () => void } = {},
  body: object = stream.body,
): Promise<void> {
  const headers = { 'idempotency-key': stream.key, ...how.headers };
  try {
    const answer = await server.send(stream.path, body, { ...how, headers });
    if (!answer.ok) {
      stream.refusal = ((await answer.json()) as { code: string }).code;
      return;
    }
    stream.refusal = undefined;
    const decoder = new TextDecoder();
    let rest = '';
    for await (const bytes of answer.body ?? []) {
      const lines = (rest + decoder.decode(bytes, { stream: true })).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        stream.delivered.push(JSON.parse(line) as DeliveredWallet);
        onLine();
      }
    }
    stream.isWhole = true;
  } catch (error) {
    // Fetch throws a TypeError where a connection breaks.
    if (!(error instanceof TypeError)) throw error;
  }
}

/** Asks for the missing wallets; a tree continues with the words of its first line. */
export async function runAgain(server: WalletServer, stream: ClientStream): Promise<void> {
  const { delivered, body } = stream;
  const { mnemonic } = delivered[0] ?? {};
  const { mnemonic_words: _, ...others } = body;
  const headers = { 'x-wallets-received': String(delivered.length) };
  await runClientStream(server, stream, { headers }, mnemonic === undefined ? body : { ...others, mnemonic });
}
