import { parseArgs } from 'node:util';
import { PROTOCOLS } from './fuzz/protocols.ts';
import { renderProtocol } from './fuzz/report.ts';
import { runProtocol } from './fuzz/run-protocol.ts';

// `make soak PART=fuzz`: fuzzed requests to a server of its own for each protocol. Exits with 1 when an answer is none that the protocol
// allows, the server fails or logs a failure, or its memory grows.

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '1000000' },
    minutes: { type: 'string', default: '60' },
    protocol: { type: 'string' },
  },
});
const [requests, minutes] = [Number(values.requests), Number(values.minutes)];
if (!Number.isSafeInteger(requests) || requests < 1)
  throw new RangeError(`REQUESTS is ${values.requests}, and has to be 1 or more`);
const seed = Number(process.env.KEYSLOT_FUZZ_SEED ?? Math.floor(Math.random() * 2 ** 31));
console.log(`fuzz: the same requests again with KEYSLOT_FUZZ_SEED=${seed}`);

const { protocol } = values;
let faults = 0;
for (const each of PROTOCOLS.filter(({ name }) => protocol === undefined || name.includes(protocol))) {
  const result = await runProtocol(each, { requests, seed, deadlineMs: minutes * 60_000 });
  console.log(renderProtocol(result));
  faults += result.faults.length;
}
process.exitCode = faults === 0 ? 0 : 1;
