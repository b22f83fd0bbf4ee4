import { pino } from 'pino';
import { afterEach } from 'vitest';
import { stringifyJson } from '../../src/core/rpc/json.ts';
import { type Gateway, type GatewayOptions, post, startGateway } from './start-gateway.ts';

export type LogLine = Readonly<Record<string, unknown>>;

/** Gateways that hold what nodes answer against the specification, and the lines of their logs. What is put into `closing` is closed after each test, last first. */
export function useDriftGateway() {
  const closing: (() => Promise<void> | void)[] = [];
  const lines: LogLine[] = [];
  const write = (line: string): void => void lines.push(JSON.parse(line) as LogLine);
  const log = pino({ level: 'warn' }, { write });
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
    lines.length = 0;
  });
  /** Before one node, with a sample every 10 ms unless told otherwise. */
  const open = async (nodeUrl: string, options: Partial<GatewayOptions> = {}): Promise<Gateway> => {
    const gateway = await startGateway({
      nodeUrls: [nodeUrl],
      driftSamplesPerMinute: 6_000,
      nodeVersion: () => '5.0.0',
      log,
      ...options,
    });
    closing.push(() => gateway.close());
    return gateway;
  };
  return { closing, lines, open };
}

/** Calls a method, and gives the text of the answer. */
export async function callText(
  { rpcUrl }: Gateway,
  method: string,
  params: readonly unknown[] = [],
): Promise<string> {
  const response = await post(rpcUrl, stringifyJson({ jsonrpc: '2.0', id: 1, method, params }));
  return response.text();
}
