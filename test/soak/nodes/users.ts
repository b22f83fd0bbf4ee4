import { parseArgs } from 'node:util';
import { playSessions } from '../../ledger/own-reads/play-sessions.ts';

// `make soak PART=nodes USERS=10000`: users over HTTP, WebSocket and gRPC while nodes lag, take other forks, die and return. Exits with
// 1 if a user was shown less than before, a read failed, something was missing unsaid, or a transaction was taken twice.

const { values } = parseArgs({ options: { users: { type: 'string', default: '10000' } } });
const { faults, gaps, failovers } = await playSessions(Number(values.users), 100);
console.log(
  `${values.users} users, ${failovers} failovers, ${gaps} gaps that were said, ${faults.length} faults`,
);
for (const fault of faults) console.error(fault);
process.exit(faults.length === 0 ? 0 : 1);
