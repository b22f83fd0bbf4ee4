import { parseArgs } from 'node:util';
import { describeReport, makeReport } from '../lab/report.ts';
import { type LabOptions, runLab } from '../lab/run-lab.ts';
import { playSessions } from '../lab/play-sessions.ts';
import { seededRandom } from '../lab/random.ts';

// `make soak PART=nodes FAILOVERS=1000`: kills one of three nodes after the other under users of HTTP, WebSocket and topic streams. In the
// first half of the rounds the nodes are behind one another, in the second half they are not. `USERS=10000`: this number of users while nodes
// lag, take other forks, die and return. Exits with 1 if a read failed or was behind what its user has seen, something was missing
// unsaid, or a transaction was taken twice.

const { values } = parseArgs({ options: { failovers: { type: 'string' }, users: { type: 'string' } } });
/** Reads before and after a node is killed, and before it is started again. */
const READS_BETWEEN = 24;

const failOver =
  (failovers: number): LabOptions['until'] & object =>
  async ({ installation: { nodes }, timeline }) => {
    const readsPass = async (): Promise<void> => {
      const until = timeline.total('http_reads') + READS_BETWEEN;
      while (timeline.total('http_reads') < until) await new Promise((resolve) => setImmediate(resolve));
    };
    for (let round = 0; round < failovers; round++) {
      const isApart = round < failovers / 2;
      const apart = isApart ? 'nodes behind one another' : 'nodes side by side';
      for (const [at, { server }] of nodes.entries()) server.node.lag = isApart ? at : 0;
      timeline.period = apart;
      await readsPass();
      timeline.period = `${apart}, one is lost`;
      const server = nodes[round % nodes.length]?.server;
      await server?.kill();
      await readsPass();
      await server?.start();
      timeline.count('failovers');
    }
  };

const { failovers, users } = values;
const run =
  users === undefined
    ? await runLab({
        scenario: { durationS: 0, isImpatient: true, clients: { http: 4, users: 6 }, faults: [] },
        seed: seededRandom('failovers')(2 ** 31),
        until: failOver(Number(failovers ?? 1_000)),
      })
    : await playSessions(Number(users), 100);
const report = makeReport(run);
console.log(describeReport(report));
process.exitCode = report.is_sound ? 0 : 1;
