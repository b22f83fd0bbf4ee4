import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { fileURLToPath } from 'node:url';
import { credentials, Metadata } from '@grpc/grpc-js';
import { OutputFormat, StreamServiceClient } from '../../generated/stream/service.ts';

// Compares the stream service of Keyslot with a bare grpc-js stream of messages of the same size. See README.md.

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '7' },
    subscribers: { type: 'string', default: '1,100' },
    messages: { type: 'string', default: '10000' },
    'dry-run': { type: 'boolean', default: false },
  },
});
const [rounds, messages] = [Number(values.rounds), Number(values.messages)];
const LOG_BYTES = 300;
const [busy = 0] = loadavg();

type Target = { readonly port: number; readonly child: ChildProcess };

/** Messages a second that all subscribers together read, each of them on a connection of its own. */
async function measure({ port }: Target, subscribers: number): Promise<{ perSecond: number; bytes: number }> {
  const each = Math.max(100, Math.floor(messages / (subscribers > 1 ? 10 : 1)));
  const clients = Array.from(
    { length: subscribers },
    () =>
      new StreamServiceClient(`127.0.0.1:${port}`, credentials.createInsecure(), {
        'grpc.use_local_subchannel_pool': 1,
      }),
  );
  await Promise.all(
    clients.map((client) => new Promise((resolve) => client.waitForReady(Date.now() + 10_000, resolve))),
  );
  const startMs = performance.now();
  let bytes = 0;
  await Promise.all(
    clients.map(
      (client) =>
        new Promise<void>((resolve) => {
          const metadata = new Metadata();
          metadata.set('x-resume-slot', '1');
          const stream = client.subscribe({ topic: 'transactions', format: OutputFormat.PROTO }, metadata);
          let left = each;
          stream.on('data', ({ payload }) => {
            bytes = payload.length;
            if (--left > 0) return;
            stream.cancel();
            resolve();
          });
          stream.on('error', () => resolve());
        }),
    ),
  );
  const seconds = (performance.now() - startMs) / 1000;
  for (const client of clients) client.close();
  return { perSecond: (subscribers * each) / seconds, bytes };
}

async function start(program: string, ...args: readonly number[]): Promise<Target> {
  const child = fork(fileURLToPath(new URL(program, import.meta.url)), args.map(String), {
    stdio: 'inherit',
  });
  const [{ port }] = (await once(child, 'message')) as [{ readonly port: number }];
  return { port, child };
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;
}

const own = await start('serve-streams.ts', LOG_BYTES, messages);
const { bytes } = await measure(own, 1);
const bare = await start('serve-bare-streams.ts', bytes, messages);
await measure(bare, 1);
const rows: string[] = [];
for (const subscribers of values.subscribers.split(',').map(Number)) {
  const ratios: number[] = [];
  const rates: (readonly [number, number])[] = [];
  for (let round = 0; round < rounds; round++) {
    const before = await measure(bare, subscribers);
    const mine = await measure(own, subscribers);
    const after = await measure(bare, subscribers);
    const limit = (before.perSecond + after.perSecond) / 2;
    ratios.push(mine.perSecond / limit);
    rates.push([mine.perSecond, limit]);
  }
  const [mine, limit] = [0, 1].map((at) => median(rates.map((rate) => rate[at] ?? Number.NaN)).toFixed(0));
  rows.push(`| ${subscribers} | ${mine} | ${limit} | ${(100 * median(ratios)).toFixed(0)} % |`);
}
const results = `# Results of the stream bench

Written by \`make bench\`; see [README.md](README.md) for what is measured. ${cpus()[0]?.model ?? 'unknown CPU'}, ${cpus().length} cores, Node ${process.version}; medians of ${rounds} rounds, payloads of ${bytes} bytes. The load average of the machine was ${busy.toFixed(1)} before.

| subscribers | Keyslot messages/s | bare grpc-js messages/s | of the bare rate |
|---:|---:|---:|---:|
${rows.join('\n')}
`;
console.log(results);
if (!values['dry-run']) await writeFile(new URL('grpc-results.md', import.meta.url), results);
own.child.disconnect();
bare.child.disconnect();
